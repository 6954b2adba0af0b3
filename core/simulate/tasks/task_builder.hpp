#pragma once

#include "core/plan/plan.hpp"
#include "core/simulate/simulate.hpp"
#include "core/simulate/tasks/task_graph.hpp"

namespace convoy::simulate {

// Makes the tasks of a lowered plan's body, with their costs, engines and waits. Lanes have the
// order of the executor, but fetches have the order of the software. Input tasks come after those
// of the plan.
TaskGraph build_tasks(const plan::Plan& lowered, const SimulatedMachine& machine,
                      const std::vector<LayerTimes>& layers, const SimulationOptions& options);

}  // namespace convoy::simulate
