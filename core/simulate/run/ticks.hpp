#pragma once

#include <cstdint>

namespace convoy::simulate {

// Virtual time in nanoseconds. Times are whole numbers, so that tasks that end together on a
// symmetric machine have the same time despite the rounding of rates.
using Ticks = std::int64_t;

// Rounds to the nearest tick; `seconds` is not negative. (std::llround would be a call into the
// mathematics library, millions of times.)
inline Ticks to_ticks(double seconds) {
  return static_cast<Ticks>(seconds * 1e9 + 0.5);
}
inline double to_seconds(Ticks ticks) {
  return static_cast<double>(ticks) * 1e-9;
}

}  // namespace convoy::simulate
