#pragma once

#include <vector>

#include "core/plan/cluster.hpp"
#include "core/simulate/machine/machine_builder.hpp"

namespace convoy::simulate {

// Makes the machine of `cluster`, as make_hosts() makes it, from hosts that are all like the host
// of `one`. Each host has the first devices and the memory of `one`; hosts of parameter servers
// have only the memory. `one` has at least as many devices as each host. rates[a][b] is the rate of
// a single transfer from host a to host b, in bytes per second. Several transfers of a host
// together reach the rate of its best link, because they share the card or the thread that serves
// it.
SimulatedCluster join_hosts(const SimulatedCluster& one, Cluster cluster,
                            const std::vector<std::vector<double>>& rates);

}  // namespace convoy::simulate
