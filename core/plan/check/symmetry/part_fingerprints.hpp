#pragma once

#include <optional>
#include <vector>

#include "core/plan/check/symbolic/values.hpp"
#include "core/plan/check/symmetry/memory_partition.hpp"

namespace convoy::check {

// A fingerprint per part of the memory: the effect of the prologue and one period on the part, and
// the values that forwards read of it, from a run on names instead of numbers. Names of memory are
// local to the part, and sums do not depend on their order. So parts with equal fingerprints are
// treated in the same way, except for their places and for two replicas that may have swapped
// roles; a proof of one holds for the other. None when forwards and backwards are not regular
// passes over the whole arena.
std::optional<std::vector<Fingerprint>> part_fingerprints(const PartitionedPlan& plan);

}  // namespace convoy::check
