#pragma once

#include <cstdint>
#include <vector>

#include "core/plan/plan.hpp"
#include "core/plan/schedule/dependencies.hpp"

namespace convoy::plan {

// Operations that are connected by strict waits, directly or through others, run the iterations of
// a body together and form a strand. Two strands are connected only by relaxed reads and updates in
// any order, so each counts its own iterations. A synchronous plan is one strand. In an
// asynchronous plan, the steps of each worker with their updates at the servers are one strand.
struct Strands {
  std::uint32_t count = 1;
  std::vector<std::uint32_t> of;  // per operation of the body; empty if there is only one strand

  std::uint32_t operator[](std::size_t operation) const { return of.empty() ? 0 : of[operation]; }
};

// Strands are numbered by the first compute of their replicas. Operations that are not connected to
// any replica's step belong to the first strand.
Strands find_strands(const Plan& lowered, const DependencyLists& dependencies);

}  // namespace convoy::plan
