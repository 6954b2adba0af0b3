#pragma once

#include <cstdint>

#include "tests/plan/sample_models.hpp"

namespace convoy::testing {

// Operations of every element-wise kind on random spans of a few buffers, with one or two computes
// and updates among them: nothing useful, but all sorts of dependencies. Collectives on request.
WritePlan random_plan(std::uint32_t seed, bool collectives);

// The same plan with a random priority on most of its operations.
plan::Plan with_random_priorities(plan::Plan plan, std::uint32_t seed);

}  // namespace convoy::testing
