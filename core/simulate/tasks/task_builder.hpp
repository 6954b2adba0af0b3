#pragma once

#include "core/plan/plan.hpp"
#include "core/simulate/simulate.hpp"
#include "core/simulate/tasks/task_graph.hpp"

namespace convoy::simulate {

// The body of a lowered plan as tasks: costs, lanes in the executor's order (but for the fetches,
// when the software has another), engines, waits; input tasks behind those of the plan.
TaskGraph build_tasks(const Plan& lowered, const SimulatedMachine& machine,
                      const std::vector<LayerTimes>& layers, const SimulationOptions& options);

}  // namespace convoy::simulate
