#pragma once

#include <cstdint>
#include <vector>

#include "core/plan/plan.hpp"
#include "core/plan/schedule/dependencies.hpp"

namespace convoy::plan {

// The urgency of each operation of a body. It is the maximum of its own priority and the priorities
// of the operations that wait for it in the same iteration, without a forward or backward pass in
// between. So a priority never makes an operation run before a more urgent one.
struct Priorities {
  std::vector<std::uint8_t> of;  // empty: all priorities are 0

  std::uint32_t operator[](std::size_t operation) const { return of.empty() ? 0 : of[operation]; }
};

Priorities find_priorities(const Plan& lowered, const DependencyLists& dependencies);

}  // namespace convoy::plan
