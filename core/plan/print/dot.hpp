#pragma once

#include <iosfwd>

#include "core/plan/plan.hpp"

namespace convoy::plan {

// The body of a plan for Graphviz: one cluster per place (and lane, when `lanes`, for lowered
// plans), an edge for every dependency that no other one implies, dashed when it comes from an
// earlier iteration.
void print_dot(std::ostream& out, const Plan& plan, bool lanes);

}  // namespace convoy::plan
