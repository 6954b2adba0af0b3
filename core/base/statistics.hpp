#pragma once

#include <vector>

namespace convoy {

// All of at least one value.
double mean(const std::vector<double>& values);
// The middle value, or the mean of the two middle ones.
double median(std::vector<double> values);
// Fraction in [0, 1]; between the two nearest values by linear interpolation.
double quantile(std::vector<double> values, double fraction);

}  // namespace convoy
