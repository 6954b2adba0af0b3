#pragma once

#include <optional>
#include <vector>

namespace convoy::qualify {

// One processing unit while all that this process may use do the same.
struct CoreRate {
  unsigned core = 0;
  double images = 0;  // JPEG pictures of 500 x 375 pixels, decoded per second
  double got = 1;     // part of the time that its thread really had it
};

// Each unit decodes the same picture again and again for so many seconds, all at once.
std::vector<CoreRate> probe_cores(double seconds);

// Processing units that this process may use.
std::vector<unsigned> allowed_cores();

}  // namespace convoy::qualify
