#pragma once

#include <cstdint>

namespace convoy::cpu {

// A bf16 number: the upper half of an f32.
using Bf16 = std::uint16_t;

}  // namespace convoy::cpu
