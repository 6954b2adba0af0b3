#pragma once

#include <cstddef>
#include <vector>

namespace convoy::compare {

// For every lag k below `lags`, the sum over i of d[i] * d[i + k], where d is the series minus its
// mean. By Fourier transforms, because in a long series many lags matter. lags is at most the
// length.
std::vector<double> autocovariances(const std::vector<double>& series, std::size_t lags);

}  // namespace convoy::compare
