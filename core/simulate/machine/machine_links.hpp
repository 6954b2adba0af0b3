#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/simulate/machine/simulated_machine.hpp"
#include "topology/graph/machine.hpp"
#include "topology/graph/routes.hpp"

namespace convoy::simulate {

// Returns the constants of a host by its number.
using HostConstants = std::function<const SimulatedHost&(std::uint32_t host)>;

// Returns both directions of every link of the graph, with the rates that transfers reach: link i
// of the graph becomes 2 i from a to b, and 2 i + 1 from b to a.
std::vector<SimulatedLink> simulated_links(const topology::Machine& machine,
                                           const HostConstants& constants_of);

inline std::uint32_t simulated_link(const topology::Hop& hop) {
  return static_cast<std::uint32_t>(2 * hop.link + (hop.forward ? 0 : 1));
}

}  // namespace convoy::simulate
