#pragma once

#include "core/plan/plan.hpp"
#include "core/plan/update_counts.hpp"

namespace convoy::plan {

struct LoweringOptions {
  // Largest piece in a staging buffer, in elements. It limits the additional memory of a sum over
  // remote spans. Two such pieces per operand are in flight.
  std::uint64_t staging_elements = std::uint64_t{1} << 20;
  // Operations with fewer elements than this per engine are not cut into slices.
  std::uint64_t slice_elements = std::uint64_t{1} << 14;
};

// Turns the author's plan into the plan that runs. Every operation runs on one engine that
// addresses all its spans. Staging copies are explicit and bounded, collectives are expanded into
// slices (shared memory), rings or trees, and forward and backward are cut into the model's
// segments. Pure: equal on every host. Program order still defines the meaning. Only the lowered
// plan is executed, simulated and traced. `source` of every operation is the id of the logical one.
Plan lower(const Plan& logical, const LoweringOptions& options = {});
// The same for a stage. `before` has the counts of the whole plan's updates when the stage begins.
// `cluster` is the plan's, or one that differs from it only in what engines and devices can do.
Plan lower(const Plan& stage, const Cluster& cluster, const LoweringOptions& options,
           const UpdateCounts& before);

}  // namespace convoy::plan
