#pragma once

#include "core/plan/plan.hpp"
#include "core/plan/schedule/dependencies.hpp"
#include "core/plan/schedule/schedule.hpp"
#include "core/simulate/simulate.hpp"

namespace convoy::simulate {

// Reorders copies into parameters as the software orders them. In each lane, it reorders adjacent
// copies that wait for nothing in their own iteration.
void order_fetches(const plan::Plan& lowered, const plan::DependencyLists& dependencies,
                   const SimulationOptions& options, plan::Schedule& schedule);

}  // namespace convoy::simulate
