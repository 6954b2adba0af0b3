#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/plan/check/check.hpp"

namespace convoy::plan::check {

// Returns the operation of the prologue or the body with this id.
inline const Operation& operation_of(const Plan& plan, std::uint32_t id) {
  const std::size_t prologue = plan.prologue.size();
  return id < prologue ? plan.prologue[id] : plan.body[id - prologue];
}

// Makes a finding with the text "apply (operation 12) on conv1/kernel [0..64): what". `range` is a
// range of the arena; the text names it relative to its variable. If the operation is CONVOY_NONE,
// the text is `what` alone.
Finding finding_at(const Plan& plan, FindingKind kind, std::uint32_t operation,
                   std::uint32_t replica, const ElementRange& range, const std::string& what);

// Whether findings of this kind leave open whether the plan is right.
bool leaves_open(FindingKind kind);
// Whether at least one of these findings shows that the plan is wrong.
bool any_wrong(const std::vector<Finding>& findings);

}  // namespace convoy::plan::check
