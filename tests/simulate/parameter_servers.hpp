#pragma once

#include <cstdint>
#include <vector>

#include "core/simulate/machine/machine_builder.hpp"

namespace convoy::simulate {

// Parameter servers beside the workers of a simulated cluster: a host place each, to which no
// device is attached, with the memory and the links of the host that it is on ("ps:0", ...). Hosts
// are those of the cluster.
void add_parameter_servers(SimulatedCluster& simulated, const std::vector<std::uint32_t>& hosts);

}  // namespace convoy::simulate
