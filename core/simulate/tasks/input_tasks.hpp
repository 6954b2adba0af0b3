#pragma once

#include <cstdint>
#include <vector>

#include "core/plan/plan.hpp"
#include "core/simulate/simulate.hpp"
#include "core/simulate/tasks/task_costs.hpp"

namespace convoy::simulate {

// A task waits for the task `before` of `distance` iterations ago.
struct InputWait {
  std::uint32_t task = 0;
  std::uint32_t before = 0;
  std::uint32_t distance = 0;
};

struct InputTasks {
  std::vector<InputWait> waits;
};

// With real data, adds two tasks for every forward pass over the first layers. One decodes the
// batch on the host's cores, which all devices of the host share. The other copies it to the
// device, which has room for the batch in use and the next one. `numbers` has the numbers of the
// operations' tasks.
InputTasks add_input_tasks(const Plan& lowered, const SimulatedMachine& machine,
                           const SimulationOptions& options,
                           const std::vector<std::uint32_t>& numbers, TaskCosts& costs,
                           TaskGraph& graph);

}  // namespace convoy::simulate
