#pragma once

#include <convoy/abi.h>

#include "plugins/devices/cpu/kernels/table.hpp"
#include "plugins/devices/shared/update_rule.hpp"

namespace convoy::cpu {

// Returns the constants of an apply or a norm in the precision of the arithmetic. They include
// Adam's bias correction, the loss scale and the limit of the gradient's norm.
ApplyConstants update_constants(const convoy_submission& operation);

// Whether an apply must leave everything unchanged because the gradient is not finite.
bool is_skipped(const convoy_submission& operation);

}  // namespace convoy::cpu
