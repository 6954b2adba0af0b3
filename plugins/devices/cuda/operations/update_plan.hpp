#pragma once

#include <convoy/abi.h>

#include <vector>

#include "plugins/devices/cuda/kernels/update.hpp"

namespace convoy::cuda {

// Returns the scalars that guard an apply or a norm, which are its last reads.
UpdateGuard update_guard(const convoy_submission& operation);

// Divides the first `count` elements of an update into the blocks of its kernel's launch.
std::vector<UpdateBlock> update_blocks(const convoy_update& update, std::uint64_t count);

}  // namespace convoy::cuda
