#pragma once

#include <cstdint>

namespace convoy::cpu {

// Measures a convoy_measurement on the calling thread's team: floating-point operations per second
// (the best of products of several sizes), or bytes per second (the median of sums of arrays that
// no cache holds). Throws std::invalid_argument for an unknown one.
double measured_rate(std::uint32_t what);

}  // namespace convoy::cpu
