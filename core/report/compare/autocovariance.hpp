#pragma once

#include <cstddef>
#include <vector>

namespace convoy::compare {

// For every lag below `lags`, the sum over all pairs of values that are so far apart of the product
// of their differences from the mean of all. At lag 0, the sum of the squares. By Fourier
// transforms, since a long series has as many lags that matter. lags is at most the length.
std::vector<double> autocovariances(const std::vector<double>& series, std::size_t lags);

}  // namespace convoy::compare
