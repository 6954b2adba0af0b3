#pragma once

#include <vector>

namespace convoy::qualify {

// The rate of one processing unit while all units of this process work.
struct CoreRate {
  unsigned core = 0;
  double images = 0;  // JPEG pictures of 500 x 375 pixels, decoded per second
  double got = 1;     // the part of the time for which its thread ran
};

// Makes all units decode the same picture at the same time, repeatedly for `seconds`. Returns their
// rates.
std::vector<CoreRate> probe_cores(double seconds);

}  // namespace convoy::qualify
