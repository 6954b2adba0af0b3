#pragma once

#include "core/plan/plan.hpp"

namespace convoy::plan {

// Checks of the data that a plug-in passes to the host. All throw Error kFailed with the value
// found.

// The largest number of spans that an operation reads, or writes: more than a cluster has replicas.
constexpr std::uint64_t kMaximumSpans = 1 << 20;

void require_index(std::uint64_t index, std::uint64_t count, const char* what);

// Whether any of the operation's sizes is not zero.
bool has_sizes(const convoy_operation& operation);

// Returns the buffer with its place and, for arenas, its count and dtype filled in.
PlanBuffer resolve_buffer(const convoy_buffer& description, const Cluster& cluster,
                          std::uint64_t arena_elements);

// Returns the operation with copied spans and resolved place. Spans of forward and backward are
// narrowed to the arena range of their layers. Refuses everything that the ABI does not define. The
// struct must have this host's size (read_sized).
Operation resolve_operation(const convoy_operation& operation, const Plan& plan);

}  // namespace convoy::plan
