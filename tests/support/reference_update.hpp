#pragma once

#include <convoy/abi.h>

#include <cstdint>
#include <span>

namespace convoy::testing {

// One parameter's update in double precision. gradient_sum is the sum of `contributions` gradients;
// decayed says whether weight decay applies to this parameter; state holds optimizer.state_slots
// numbers; step counts from 0.
void apply_reference(const convoy_optimizer& optimizer, double learning_rate, std::uint64_t step,
                     std::uint64_t contributions, bool decayed, double& parameter,
                     std::span<double> state, double gradient_sum);

}  // namespace convoy::testing
