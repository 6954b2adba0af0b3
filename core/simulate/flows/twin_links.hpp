#pragma once

#include <cstdint>
#include <vector>

#include "core/simulate/tasks/task_graph.hpp"

namespace convoy::simulate {

// Returns for each link of a graph the first of its twins: links of one capacity that all routes
// pass with one weight. Twins are equally full at any time, so one of them limits flows as all
// together do, to the last bit. Links whose rate changes have no twins.
std::vector<std::uint32_t> first_twins(const TaskGraph& graph);

}  // namespace convoy::simulate
