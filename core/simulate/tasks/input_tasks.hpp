#pragma once

#include <cstdint>
#include <vector>

#include "core/plan/plan.hpp"
#include "core/simulate/simulate.hpp"
#include "core/simulate/tasks/task_costs.hpp"

namespace convoy::simulate {

// Task waits for `before` of `distance` iterations ago.
struct InputWait {
  std::uint32_t task = 0;
  std::uint32_t before = 0;
  std::uint32_t distance = 0;
};

struct InputTasks {
  std::vector<InputWait> waits;
};

// For every forward pass over the first layers, with real data: a task that decodes its batch on
// the host's cores, which all devices of the host share, and one that copies it to the device,
// where there is room for the next batch besides the one in use. `numbers` are those of the
// operations' tasks.
InputTasks add_input_tasks(const Plan& lowered, const SimulatedMachine& machine,
                           const SimulationOptions& options,
                           const std::vector<std::uint32_t>& numbers, TaskCosts& costs,
                           TaskGraph& graph);

}  // namespace convoy::simulate
