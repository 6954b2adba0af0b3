#pragma once

#include <cstddef>
#include <vector>

namespace convoy::compare {

// Returns the number of neighbours on which a value of the series depends, at least 1. It is twice
// the first lag at which the autocorrelation cannot be told from zero, at least the cube root of
// the length, and at most a quarter of the series.
std::size_t block_length(const std::vector<double>& series);

// Fewer values do not show how much they vary.
constexpr std::size_t kFewestResampled = 4;

// Returns the standard deviation that the logarithm of the series' quantile would have if the
// series were drawn again. Steps of a run depend on their neighbours, so blocks are drawn, not
// values. The same series gives the same bits. 0 for fewer than kFewestResampled values. Values
// must be above 0.
double log_quantile_deviation(const std::vector<double>& series, double fraction,
                              std::size_t resamples = 400);

}  // namespace convoy::compare
