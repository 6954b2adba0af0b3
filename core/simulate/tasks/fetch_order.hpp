#pragma once

#include <vector>

#include "core/plan/plan.hpp"
#include "core/plan/schedule/dependencies.hpp"
#include "core/plan/schedule/schedule.hpp"
#include "core/simulate/simulate.hpp"

namespace convoy::simulate {

// Puts the copies into parameters that wait for nothing of their own iteration into the order that
// the software has them in, lane by lane, where they stand next to each other.
void order_fetches(const Plan& lowered, const DependencyLists& dependencies,
                   const SimulationOptions& options, Schedule& schedule);

}  // namespace convoy::simulate
