#pragma once

#include <convoy/abi.h>

#include <vector>

#include "plugins/devices/cuda/kernels/update.hpp"

namespace convoy::cuda {

// Returns the scalars that guard an apply or a norm, which are its last reads.
UpdateGuard update_guard(const convoy_submission& operation);

// Divides a span into blocks that are decayed completely or not at all. Decayed ranges are
// ascending.
std::vector<UpdateBlock> cut_into_blocks(const convoy_update& update, std::uint64_t count);

}  // namespace convoy::cuda
