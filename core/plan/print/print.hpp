#pragma once

#include <iosfwd>

#include "core/plan/plan.hpp"
#include "core/plan/schedule/schedule.hpp"
#include "core/plan/step_plan.hpp"

namespace convoy::plan {

// Prints a plan as text: prologue and body, one operation per line with its id, place, lane
// (lowered plans), spans and the variables to which they belong. With the schedule of a lowered
// plan it also prints what every operation of the body waits for: "#12" in this iteration, "#12@1"
// in the previous one. A message between hosts appears once, with the waits of both ends. Later
// stages follow; a schedule belongs to a plan of one stage.
void print_plan(std::ostream& out, const Plan& plan, const Schedule* schedule = nullptr);

// Prints all stages of the lowered plan with their schedules.
void print_lowered(std::ostream& out, const StepPlan& plan);

// "copy: parameters(0)[0..64) <- master(host:0)[0..64)", for messages.
std::string operation_line(const Plan& plan, const Operation& operation);

// Returns the variables that an operation works on: those in the arena range of its first span that
// is a part of the arena. Empty if it has no such span.
std::string operation_variables(const Plan& plan, const Operation& operation);

}  // namespace convoy::plan
