#pragma once

#include <cstdint>
#include <vector>

#include "core/plan/plan.hpp"

namespace convoy {

// Operations that strict waits join, directly or through others, go through the iterations of a
// body together: they are a strand. Between two strands there are only relaxed reads and updates in
// any order, so each may count its iterations by itself. A synchronous plan is one strand; of an
// asynchronous one, every worker's steps are one, with their updates at the servers.
struct Strands {
  std::uint32_t count = 1;
  std::vector<std::uint32_t> of;  // per operation of the body; empty when there is only one

  std::uint32_t operator[](std::size_t operation) const { return of.empty() ? 0 : of[operation]; }
};

// Numbered in the order in which their replicas compute first. What no replica's step depends on
// goes along with the first strand.
Strands find_strands(const Plan& lowered);

}  // namespace convoy
