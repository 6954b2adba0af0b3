#pragma once

#include <cstddef>
#include <vector>

namespace convoy::compare {

// Returns, for every lag k below `lags`, the sum over i of d[i] * d[i + k], where d is the series
// minus its mean. Uses Fourier transforms, because many lags matter in a long series. `lags` is at
// most the length.
std::vector<double> autocovariances(const std::vector<double>& series, std::size_t lags);

}  // namespace convoy::compare
