#pragma once

#include <vector>

#include "core/plan/plan.hpp"

namespace convoy {

// Operation `before` of this iteration (distance 0) or an earlier one must be done before another
// starts. Indices into the plan's body.
struct Dependency {
  std::uint32_t before = 0;
  std::uint32_t distance = 0;
};

// For every operation of the body, what it has to wait for in the steady state: B waits for an
// earlier A if and only if their spans overlap and one of them writes; the same rule across the end
// of the body gives the edges of distance 1. Forward and backward of one replica also follow each
// other, through its activations. Relaxed reads wait for writers max_lag iterations back, or for
// none; writers do not wait for relaxed readers. ANY_ORDER writes do not wait for each other.
std::vector<std::vector<Dependency>> find_dependencies(const Plan& plan);

}  // namespace convoy
