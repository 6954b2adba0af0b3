#pragma once

#include "tests/runtime/plan_runner.hpp"

namespace convoy::testing {

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr std::uint64_t kRandomPlans = 60;
#else
constexpr std::uint64_t kRandomPlans = 300;
#endif

// An optimizer with clipping, decay and scale of its own for every seed.
InterpreterOptions random_options(const plan::ArenaMap& arena, std::uint64_t seed);

// Small pieces, so that cutting and staging happen on small buffers.
PlanRunnerOptions small_pieces();

// Whether everything but scratch holds numbers: else comparing would say little.
bool is_finite(const plan::Plan& plan, const Interpreter& interpreter);

}  // namespace convoy::testing
