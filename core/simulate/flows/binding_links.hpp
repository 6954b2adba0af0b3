#pragma once

#include "core/simulate/flows/fair_shares.hpp"
#include "core/simulate/tasks/task_graph.hpp"

namespace convoy::simulate {

// Returns the routes of a graph without the links that need not be looked at. Everything that
// passes such a link also passes another one that is at least as narrow, which is full before or at
// the same time. The rates of flows stay the same up to rounding, and sharing the links takes less
// time, because that time grows with the number of links.
Lists<LinkShare> binding_links(const TaskGraph& graph);

}  // namespace convoy::simulate
