#pragma once

#include <convoy/abi.h>

#include <vector>

#include "plugins/devices/cuda/kernels/update.hpp"
#include "plugins/devices/shared/update_rule.hpp"

namespace convoy::cuda {

// The constants of an apply or a norm in the precision of the arithmetic, Adam's bias correction
// included. The guard's scalars are on the device: see UpdateGuard.
UpdateConstants update_constants(const convoy_submission& operation);

// The scalars that guard an apply or a norm: its last reads.
UpdateGuard update_guard(const convoy_submission& operation);

// Cuts a span into blocks that are decayed as a whole or not at all; decayed ranges ascend.
std::vector<UpdateBlock> cut_into_blocks(const convoy_update& update, std::uint64_t count);

}  // namespace convoy::cuda
