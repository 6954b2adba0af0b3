#pragma once

#include <iosfwd>

#include "core/plan/plan.hpp"

namespace convoy::plan {

// Prints the body of a plan for Graphviz. Each place is a cluster; with `lanes`, for lowered plans,
// each lane of a place. Every dependency that no other one implies is an edge, dashed if it comes
// from an earlier iteration.
void print_dot(std::ostream& out, const Plan& plan, bool lanes);

}  // namespace convoy::plan
