#pragma once

#include <cstdint>
#include <vector>

#include "core/plan/plan.hpp"
#include "core/simulate/simulate.hpp"
#include "core/simulate/tasks/successors.hpp"
#include "core/simulate/tasks/task_costs.hpp"

namespace convoy::simulate {

struct InputTasks {
  std::vector<TaskWait> waits;
};

// With real data, adds two tasks for every forward pass over the first layers. One decodes the
// batch on the host's cores, which all devices of the host share. The other copies it to the
// device, which has room for the batch in use and the next one. `numbers` has the numbers of the
// operations' tasks.
InputTasks add_input_tasks(const plan::Plan& lowered, const SimulatedMachine& machine,
                           const SimulationOptions& options,
                           const std::vector<std::uint32_t>& numbers, TaskCosts& costs,
                           TaskGraph& graph);

}  // namespace convoy::simulate
