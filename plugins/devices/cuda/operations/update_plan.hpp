#pragma once

#include <convoy/abi.h>

#include <vector>

#include "plugins/devices/cuda/kernels/update.hpp"

namespace convoy::cuda {

// The scalars that guard an apply or a norm: its last reads.
UpdateGuard update_guard(const convoy_submission& operation);

// Cuts a span into blocks that are decayed as a whole or not at all; decayed ranges ascend.
std::vector<UpdateBlock> cut_into_blocks(const convoy_update& update, std::uint64_t count);

}  // namespace convoy::cuda
