#pragma once

#include <cstdint>
#include <vector>

#include "core/plan/plan.hpp"

namespace convoy {

// Per buffer, the elements whose contents the steps before `phase` hand to those from it on: what
// the body, gone through from there and around its end, reads before it writes it. Whoever keeps
// these (and what belongs to them outside the plan: optimizer state, batch norm statistics) can
// stop there and go on elsewhere. Scratch buffers carry nothing across the end of the body: their
// contents are undefined at the start of a period.
std::vector<std::vector<ElementRange>> live_ranges(const Plan& plan, std::uint32_t phase);

// Per buffer, the elements whose contents a stage takes over from whatever was before: what its
// prologue and its body, gone through once, read before they write it.
std::vector<std::vector<ElementRange>> entered_ranges(const Plan& plan);

// live_ranges() of a plan with any number of stages, before the training step with this number,
// which begins with this phase of its stage's body, and what later stages will take over.
std::vector<std::vector<ElementRange>> live_ranges_at(const Plan& plan, std::uint64_t step,
                                                      std::uint32_t phase);

// Per buffer, the elements that the applies of all bodies update; they own optimizer state.
std::vector<std::vector<ElementRange>> updated_ranges(const Plan& plan);

}  // namespace convoy
