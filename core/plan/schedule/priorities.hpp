#pragma once

#include <cstdint>
#include <vector>

#include "core/plan/plan.hpp"
#include "core/plan/schedule/dependencies.hpp"

namespace convoy {

// Per operation of a body, how urgent it is: its own priority, or the highest of those that wait
// for it in the same iteration without a forward or backward pass between them. So nothing precedes
// what is more urgent because of its priority.
struct Priorities {
  std::vector<std::uint8_t> of;  // empty: all are 0

  std::uint32_t operator[](std::size_t operation) const { return of.empty() ? 0 : of[operation]; }
};

Priorities find_priorities(const Plan& lowered, const DependencyLists& dependencies);

}  // namespace convoy
