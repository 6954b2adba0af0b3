#pragma once

#include <optional>
#include <vector>

#include "core/plan/check/symbolic/values.hpp"
#include "core/plan/check/symmetry/memory_partition.hpp"

namespace convoy::plan::check {

// Returns a fingerprint for each part of the memory: of the effect of the prologue and one period
// on the part, and of the values that forwards read of it. The plan is run with fingerprints
// instead of numbers. Fingerprints of memory are local to the part, and sums do not depend on their
// order. So parts with equal fingerprints form an equivalence class: they are treated in the same
// way, except for their places and for two replicas that may have swapped roles. A proof of one
// holds for the others. Returns nothing if forwards and backwards are not regular passes over the
// whole arena.
std::optional<std::vector<Fingerprint>> part_fingerprints(const PartitionedPlan& plan);

}  // namespace convoy::plan::check
