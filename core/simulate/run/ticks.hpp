#pragma once

#include <cstdint>

namespace convoy::simulate {

// Virtual time in nanoseconds. Times are whole numbers, so that tasks that end together on a
// symmetric machine have the same time despite the rounding of rates.
using Ticks = std::int64_t;

// Rounds as std::llround does, but inline: runs round millions of times. `seconds` may be negative
// only by rounding; the result is then 0.
inline Ticks to_ticks(double seconds) {
  const double ticks = seconds * 1e9;
  const auto whole = static_cast<Ticks>(ticks);
  return ticks - static_cast<double>(whole) < 0.5 ? whole : whole + 1;
}
inline double to_seconds(Ticks ticks) {
  return static_cast<double>(ticks) * 1e-9;
}

}  // namespace convoy::simulate
