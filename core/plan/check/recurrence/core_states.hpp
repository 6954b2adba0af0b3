#pragma once

#include <cstdint>
#include <vector>

#include "core/plan/check/recurrence/period_map.hpp"

namespace convoy::plan::check {

// By state, a list of other states.
using StateLists = std::vector<std::vector<std::uint32_t>>;
// For each state, the states from which its next value is computed (sources_of), and those whose
// next value is computed from it (users_of).
StateLists sources_of(const std::vector<LinearRow>& step);
StateLists users_of(const std::vector<LinearRow>& step);

// The states of x' = A x, grouped by how long their contents last. Error feedback has a state per
// replica that one period fills and the next one empties. Only the core determines the limit of
// A^t.
struct CoreStates {
  // These states depend only on each other, and after some periods on none: in the end they hold
  // nothing. Order: sources first.
  std::vector<std::uint32_t> fading;
  std::vector<std::uint32_t> core;  // ascending
  // No state of the core is computed from these states. Order: users first.
  std::vector<std::uint32_t> following;
};
CoreStates core_states(const std::vector<LinearRow>& step);

}  // namespace convoy::plan::check
