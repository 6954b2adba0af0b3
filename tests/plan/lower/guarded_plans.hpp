#pragma once

#include <string>

#include "core/plan/lower/guard.hpp"
#include "core/plan/lower/lower.hpp"
#include "tests/plan/small_pieces.hpp"

namespace convoy::testing {

constexpr double kLimit = 0.75;  // of the gradient's norm

plan::GuardOptions clipping();
plan::GuardOptions automatic(double scale, std::uint64_t increase_every);
// Clipping, automatic scaling and reported norms at once.
plan::GuardOptions everything();

// The plan as checked, with what the options add to it.
plan::Plan guarded(const plan::Plan& plan, const plan::GuardOptions& options);

// The text of the usage error that guarding the plan is, or "accepted".
std::string refusal(const plan::Plan& plan, const plan::GuardOptions& options);

}  // namespace convoy::testing
