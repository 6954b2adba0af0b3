#pragma once

#include <vector>

#include "core/base/numbers/ordered_values.hpp"

namespace convoy {

// These functions need at least one value.
double mean(const std::vector<double>& values);
// Returns the middle value, or the mean of the two middle ones.
double median(std::vector<double> values);
// Returns the middle value, or the upper one of the two middle ones.
double upper_median(std::vector<double> values);
// `fraction` is in [0, 1]. Interpolates linearly between the two nearest values.
double quantile(std::vector<double> values, double fraction);

// The same for ordered values, in O(log n) steps instead of n.
double median(const OrderedValues& values);
double quantile(const OrderedValues& values, double fraction);

}  // namespace convoy
