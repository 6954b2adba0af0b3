#pragma once

#include "core/simulate/flows/fair_shares.hpp"
#include "core/simulate/tasks/task_graph.hpp"

namespace convoy::simulate {

// Returns the routes of a graph without the links that can never be full. Everything that passes
// such a link also passes one narrower link, which is full before. The rates of flows stay the
// same, and sharing the links takes less time, because that time grows with the number of links.
Lists<LinkShare> binding_links(const TaskGraph& graph);

}  // namespace convoy::simulate
