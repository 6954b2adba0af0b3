#pragma once

#include <cstdint>

#include "core/plan/lower/lowering.hpp"

namespace convoy::plan {

// Expands a collective into operations of single engines. all_reduce: with device and direct, every
// engine reduces its own slice from the memory of all members (a ring where memory is not shared).
// ring: n-1 steps of reduce-scatter and n-1 of all-gather over n chunks. tree: binary reduction and
// binary broadcast. two_level: as device inside the single host. reduce_scatter, all_gather,
// broadcast and reduce become sums and copies at the destinations, whatever the algorithm.
void lower_collective(Lowering& lowering, const Operation& operation);
// Whether the devices run the collective themselves. Error kUsage if only devices may run it, and
// they cannot.
bool is_left_to_devices(const Lowering& lowering, const Operation& collective);

// How an all_reduce that is not left to the devices is lowered.
enum class AllReduceWay : std::uint8_t { kShared, kRing, kTree, kTwoLevel };
AllReduceWay all_reduce_way(const Lowering& lowering, const Operation& it);

// A copy between places of different hosts. The network reads and writes host memory only: that of
// hosts, and of devices that share it. Between two such places the copy is one operation. A copy
// from or to another device is staged through that device's host, in bounded pieces. A source that
// may be updated while it is sent (a relaxed read) is first copied within its host's memory,
// likewise in bounded pieces, so that a message never mixes old and new values.
void copy_over_network(Lowering& lowering, const Operation& copy);

// Expands a norm over the engines that serve its place, and into bounded pieces if an engine does
// not address the memory that it reads. Every piece gives a norm, and the norm of these norms is
// the result. Reported norms stay in pieces, because the host adds their squares.
void lower_norm(Lowering& lowering, const Operation& norm);

}  // namespace convoy::plan
