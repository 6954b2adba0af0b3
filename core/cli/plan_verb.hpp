#pragma once

#include <iosfwd>
#include <span>
#include <string>

#include "core/plan/step_plan.hpp"

namespace convoy {

// convoy plan: what a strategy writes for a model and a number of devices, as text or for Graphviz,
// as written or as it runs. The arguments are those after the verb. Returns the exit code; throws
// Error.
int run_plan_verb(std::span<const std::string> arguments, std::ostream& out, std::ostream& err);

// The plan as written or as it runs, as text or for Graphviz.
void show_plan(std::ostream& out, const StepPlan& plan, bool lowered, bool dot);

}  // namespace convoy
