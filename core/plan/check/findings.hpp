#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/plan/check/check.hpp"

namespace convoy::plan::check {

// The operation of the prologue or the body with this id.
inline const Operation& operation_of(const Plan& plan, std::uint32_t id) {
  const std::size_t prologue = plan.prologue.size();
  return id < prologue ? plan.prologue[id] : plan.body[id - prologue];
}

// Its text is "apply (operation 12) on conv1/kernel [0..64): what", the range being of the arena;
// only `what` if the operation is CONVOY_NONE.
Finding finding_at(const Plan& plan, FindingKind kind, std::uint32_t operation,
                   std::uint32_t replica, const ElementRange& range, const std::string& what);

// Whether findings of this kind leave open whether the plan is right.
bool leaves_open(FindingKind kind);
// Whether some of these do not.
bool any_wrong(const std::vector<Finding>& findings);

}  // namespace convoy::plan::check
