#pragma once

#include <vector>

#include "core/plan/cluster.hpp"
#include "core/simulate/machine/machine_builder.hpp"

namespace convoy::simulate {

// `cluster`, as make_hosts() makes it, of hosts that are like the one of `one`: its first devices
// and its memory, once per host; hosts of parameter servers have the memory. rates[a][b], in bytes
// per second, is what one transfer from host a to host b reaches while there is no other. What
// several transfers of a host reach together is what its best link reaches: they share the card, or
// the thread that serves it. `one` has at least as many devices as each of the hosts.
SimulatedCluster join_hosts(const SimulatedCluster& one, Cluster cluster,
                            const std::vector<std::vector<double>>& rates);

}  // namespace convoy::simulate
