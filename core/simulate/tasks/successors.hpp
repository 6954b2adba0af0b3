#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/plan/schedule/dependencies.hpp"
#include "core/plan/schedule/schedule.hpp"
#include "core/simulate/tasks/task_graph.hpp"

namespace convoy::simulate {

// A task waits for the task `before` of `distance` iterations ago.
struct TaskWait {
  std::uint32_t task = 0;
  std::uint32_t before = 0;
  std::uint32_t distance = 0;
};

// Where the operations are in their lanes; together in memory, because they are read often.
struct LanePlaces {
  struct Place {
    std::uint32_t lane = 0;
    std::uint32_t position = 0;
  };
  std::vector<Place> of;  // per operation
  std::size_t lanes = 0;
};
LanePlaces lane_places(const plan::Schedule& schedule);

// Sets the successors and waits of a graph that has all its tasks: the dependencies that the order
// of the lanes does not imply, and `more` behind them. `numbers` has the numbers of the operations'
// tasks. Successors of a task have the order of the body.
void add_successors(const plan::DependencyLists& dependencies, const LanePlaces& places,
                    const std::vector<std::uint32_t>& numbers, std::span<const TaskWait> more,
                    TaskGraph& graph);

}  // namespace convoy::simulate
