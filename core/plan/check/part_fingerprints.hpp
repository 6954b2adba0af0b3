#pragma once

#include <optional>
#include <vector>

#include "core/plan/check/stretches.hpp"
#include "core/plan/check/values.hpp"

namespace convoy::check {

// What the prologue and one period make of each part of the memory, and what forwards read of it,
// as a fingerprint per part: a run on names instead of numbers. Names of memory are those within
// the part, and sums do not depend on their order, so the same happens to parts with equal
// fingerprints, but for their places, and for two replicas that may have changed roles: whatever is
// true of the one is true of the other. None when forwards and backwards do not come in regular
// passes over the whole arena.
std::optional<std::vector<Fingerprint>> part_fingerprints(const Plan& plan,
                                                          const ScratchLives& lives,
                                                          const Stretches& stretches);

}  // namespace convoy::check
