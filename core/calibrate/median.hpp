#pragma once

#include <vector>

namespace convoy::calibrate {

// The middle value, or the mean of the two middle ones; at least one value.
double median(std::vector<double> values);

}  // namespace convoy::calibrate
