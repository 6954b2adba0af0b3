#pragma once

#include <cstdint>

namespace convoy::cpu {

// A convoy_measurement on the calling thread's team: floating-point operations or bytes per second,
// the best of several short runs. Throws std::invalid_argument for an unknown one.
double measured_rate(std::uint32_t what);

}  // namespace convoy::cpu
