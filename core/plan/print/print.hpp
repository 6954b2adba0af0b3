#pragma once

#include <iosfwd>

#include "core/plan/plan.hpp"
#include "core/plan/schedule/schedule.hpp"

namespace convoy {

// A plan for people: prologue and body, one operation per line with its id, place, lane (lowered
// plans), spans and the variables they belong to. With the schedule of a lowered plan also what
// every operation of the body waits for: "#12" in this iteration, "#12@1" in the one before. What
// hosts send each other stands there once, with what its two ends wait for.
void print_plan(std::ostream& out, const Plan& plan, const Schedule* schedule = nullptr);

// "copy: parameters(0)[0..64) <- master(host:0)[0..64)", for messages.
std::string operation_line(const Plan& plan, const Operation& operation);

// The variables that an operation works on: those of the arena range of its first such span. Empty
// when none of its spans is a part of the arena.
std::string operation_variables(const Plan& plan, const Operation& operation);

}  // namespace convoy
