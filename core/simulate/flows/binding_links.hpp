#pragma once

#include "core/simulate/flows/fair_shares.hpp"
#include "core/simulate/tasks/task_graph.hpp"

namespace convoy::simulate {

// The routes of a graph without the links that are never full: all that passes such a link also
// passes one and the same narrower link, which is full before. The rates of flows stay as they are,
// and most of what sharing them costs is the number of their links.
Lists<LinkShare> binding_links(const TaskGraph& graph);

}  // namespace convoy::simulate
