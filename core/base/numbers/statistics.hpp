#pragma once

#include <vector>

#include "core/base/numbers/ordered_values.hpp"

namespace convoy {

// All of at least one value.
double mean(const std::vector<double>& values);
// The middle value, or the mean of the two middle ones.
double median(std::vector<double> values);
// Fraction in [0, 1]; between the two nearest values by linear interpolation.
double quantile(std::vector<double> values, double fraction);

// The same of values that are in order. They take O(log n) steps, not n.
double median(const OrderedValues& values);
double quantile(const OrderedValues& values, double fraction);

}  // namespace convoy
