#pragma once

#include <vector>

#include "core/simulate/simulated_machine.hpp"
#include "topology/graph/machine.hpp"
#include "topology/graph/routes.hpp"

namespace convoy::simulate {

// Both directions of every link of the graph, with what transfers reach of them: link i of the
// graph is 2 i from a to b and 2 i + 1 back.
std::vector<SimulatedLink> simulated_links(const topology::Machine& machine,
                                           const SimulatedHost& host);

inline std::uint32_t simulated_link(const topology::Hop& hop) {
  return static_cast<std::uint32_t>(2 * hop.link + (hop.forward ? 0 : 1));
}

}  // namespace convoy::simulate
