#pragma once

#include <cstddef>
#include <vector>

namespace convoy::compare {

// How many neighbours a value of the series depends on, at least 1: twice the first lag at which
// the autocorrelation is indistinguishable from none, and not less than the cube root of the
// length. At most a quarter of the series.
std::size_t block_length(const std::vector<double>& series);

// Fewer values do not show how much they differ.
constexpr std::size_t kFewestResampled = 4;

// Standard deviation that the logarithm of the series' quantile would have if the series were drawn
// again. Steps of a run depend on their neighbours, so blocks are drawn, not values. The same
// series gives the same bits. 0 for fewer than kFewestResampled. Values must be above 0.
double log_quantile_deviation(const std::vector<double>& series, double fraction,
                              std::size_t resamples = 400);

}  // namespace convoy::compare
