#pragma once

#include "core/simulate/flows/fair_shares.hpp"
#include "core/simulate/tasks/task_graph.hpp"

namespace convoy::simulate {

// Returns the routes of a graph without the links that never limit a flow: all traffic of such a
// link also passes another link that is at least as narrow, and so is full no later. The rates of
// flows stay the same up to rounding, and sharing the links takes less time, because that time
// grows with the number of links. A ring over a thousand devices passes thousands of links, most of
// which are twins: see first_twins().
Lists<LinkShare> binding_links(const TaskGraph& graph);

}  // namespace convoy::simulate
