#pragma once

#include <algorithm>
#include <cstdint>

namespace convoy::train {

// So many steps, rounded down. Steps that no training reaches are all the same.
inline std::int64_t whole_steps(double steps) {
  constexpr double kNever = 0x1p62;
  return static_cast<std::int64_t>(std::min(steps, kNever));
}

}  // namespace convoy::train
