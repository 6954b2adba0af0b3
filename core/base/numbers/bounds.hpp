#pragma once

#include <limits>
#include <string>

namespace convoy {

// The values that a number may have, both ends included.
struct Bounds {
  double least = 0;
  double most = std::numeric_limits<double>::infinity();
  bool is_above = false;  // true: `least` itself is excluded
  bool is_below = false;  // true: `most` itself is excluded

  bool contain(double value) const {  // false for NaN
    return value >= least && value <= most && !(is_above && value == least) &&
           !(is_below && value == most);
  }
};

inline constexpr Bounds kFraction = {0, 1};

// Describes the values: "an integer from 1 to 255", "a number of at least 0", "a number above 0".
std::string bounds_text(const Bounds& bounds, bool whole);

}  // namespace convoy
