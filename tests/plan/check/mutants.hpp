#pragma once

#include <random>

#include "core/plan/plan.hpp"

namespace convoy::testing {

enum class MutationKind { kDrop, kDouble, kSwap, kRescale, kShift, kReplica };
inline constexpr int kMutationKinds = 6;
std::string_view mutation_name(MutationKind kind);

// Plants one defect of this kind at a random place of its body, or of its stages. Operations keep
// their sources. False when the plan has no place for it, or
// the result is one that the planner would have refused.
bool mutate(plan::Plan& plan, MutationKind kind, std::mt19937& random);

}  // namespace convoy::testing
