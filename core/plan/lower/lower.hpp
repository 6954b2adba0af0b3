#pragma once

#include "core/plan/plan.hpp"

namespace convoy {

struct LoweringOptions {
  // Largest piece that goes through a staging buffer at once, in elements: bounds the memory that a
  // sum over remote spans may hide. Two such pieces per operand are in flight.
  std::uint64_t staging_elements = std::uint64_t{1} << 20;
  // Work on fewer elements than this per engine is not worth cutting into slices.
  std::uint64_t slice_elements = std::uint64_t{1} << 14;
};

// Turns what the author wrote into what runs: every operation on one engine that addresses all its
// spans, staging copies explicit and bounded, collectives expanded into slices (shared memory),
// rings or trees, forward and backward cut into the model's segments. Pure: equal on every host.
// Program order still is the meaning. Only the lowered plan is executed, simulated and traced.
// `source` of every operation is the id of the logical one.
Plan lower(const Plan& logical, const LoweringOptions& options = {});

}  // namespace convoy
