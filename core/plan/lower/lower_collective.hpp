#pragma once

#include "core/plan/lower/lowering.hpp"

namespace convoy {

// Expands a collective into operations of single engines. all_reduce: with device and direct, every
// engine reduces its own slice from the memory of all members (a ring where memory is not shared).
// ring: n-1 steps of reduce-scatter and n-1 of all-gather over n chunks. tree: binary reduction and
// binary broadcast. two_level: as device inside the single host. reduce_scatter, all_gather,
// broadcast and reduce become sums and copies at the destinations, whatever the algorithm.
void lower_collective(Lowering& lowering, const Operation& operation);

}  // namespace convoy
