#pragma once

#include <cstdint>
#include <vector>

#include "core/plan/check/recurrence/period_map.hpp"

namespace convoy::plan::check {

// By state, other states.
using StateLists = std::vector<std::vector<std::uint32_t>>;
// Those that it is made of, and those that are made of it.
StateLists sources_of(const std::vector<LinearRow>& step);
StateLists users_of(const std::vector<LinearRow>& step);

// The states of x' = A x, grouped by how long their contents last. Error feedback has a state per
// replica that one period fills and the next one empties. Only the core determines the limit of
// A^t.
struct CoreStates {
  // Depend on each other only, none on itself after some periods: in the end they hold nothing.
  // Each comes behind those that it is made of.
  std::vector<std::uint32_t> fading;
  std::vector<std::uint32_t> core;  // ascending
  // No state of the core is made of them. Each comes behind those that are made of it.
  std::vector<std::uint32_t> following;
};
CoreStates core_states(const std::vector<LinearRow>& step);

}  // namespace convoy::plan::check
