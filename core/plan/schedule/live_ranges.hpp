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

// Per buffer, the elements that the body's applies update; they own optimizer state.
std::vector<std::vector<ElementRange>> updated_ranges(const Plan& plan);

}  // namespace convoy
