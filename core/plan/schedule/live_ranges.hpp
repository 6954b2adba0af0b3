#pragma once

#include <cstdint>
#include <vector>

#include "core/plan/plan.hpp"

namespace convoy::plan {

// Returns, per buffer, the elements whose contents pass from the steps before `phase` to later
// steps: the body, run cyclically from `phase` on, reads them before it writes them. With these
// contents (and the related state outside the plan: optimizer state, batch norm statistics),
// training can stop there and continue elsewhere. Scratch buffers pass no contents across the end
// of the body, because they are undefined at the start of a period.
std::vector<std::vector<ElementRange>> live_ranges(const Plan& plan, std::uint32_t phase);

// Returns, per buffer, the elements whose contents a stage takes over from earlier stages: its
// prologue and its body, run once, read them before they write them.
std::vector<std::vector<ElementRange>> entered_ranges(const Plan& plan);

// The live_ranges() of a plan with any number of stages, before the training step with this number.
// That step begins with this phase of its stage's body. Includes the elements that later stages
// take over.
std::vector<std::vector<ElementRange>> live_ranges_at(const Plan& plan, std::uint64_t step,
                                                      std::uint32_t phase);

// Returns, per buffer, the elements that the applies of all bodies update. Only these elements have
// optimizer state.
std::vector<std::vector<ElementRange>> updated_ranges(const Plan& plan);

}  // namespace convoy::plan
