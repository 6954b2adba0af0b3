#pragma once

#include <algorithm>
#include <cstdint>

namespace convoy::train {

// Rounds a number of steps down. Numbers that no training reaches become the same large number.
inline std::int64_t whole_steps(double steps) {
  constexpr double kNever = 0x1p62;
  return static_cast<std::int64_t>(std::min(steps, kNever));
}

}  // namespace convoy::train
