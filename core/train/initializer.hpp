#pragma once

#include <convoy/abi.h>

#include <cstdint>
#include <span>

namespace convoy::train {

// Fills a variable with its first values, in its plain (unpadded) element order. fan_in is the
// number of inputs of one output (kernel height * width * input channels), used by variance
// scaling. Element i depends on (seed, variable_index, i) alone: neither the number of threads nor
// the order in which variables are filled changes it. CONVOY_INITIALIZE_DEFAULT must have been
// resolved before.
void initialize(const convoy_initializer& initializer, std::uint64_t fan_in, std::uint64_t seed,
                std::uint32_t variable_index, std::span<float> out, int threads);

}  // namespace convoy::train
