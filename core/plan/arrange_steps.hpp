#pragma once

#include "core/plan/plan.hpp"

namespace convoy::plan {

// Arranges the body of a plan whose replicas take several steps at a time step by step: the first
// compute of every replica and what depends on it, then the second ones, and so on. Authors may
// write a body replica by replica, but steps are submitted, fed and reported one after the other.
// Operations of one step keep their order, and so do operations that depend on each other. A body
// that is in order stays as it is. Error kFailed if a compute depends on an operation of a later
// step.
void arrange_steps(Plan& plan);

}  // namespace convoy::plan
