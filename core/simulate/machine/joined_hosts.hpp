#pragma once

#include <vector>

#include "core/plan/cluster.hpp"
#include "core/simulate/machine/machine_builder.hpp"

namespace convoy::simulate {

// The measured rates of the link from one host to another, in bytes per second.
struct LinkRates {
  double alone = 0;      // of a single transfer, while nothing comes back
  double both_ways = 0;  // both directions together, while both are busy
};

// Makes the machine of `cluster`, as make_hosts() makes it, from hosts that are all like the host
// of `one`. Each host has the first devices and the memory of `one`; hosts of parameter servers
// have only the memory. `one` has at least as many devices as each host. rates[a][b] is of the
// link from host a to host b. Several transfers of a host together reach the rate of its best link,
// because they share the card or the thread that serves it. `processors` become those of the
// machine; their links are filled in.
SimulatedCluster join_hosts(const SimulatedCluster& one, plan::Cluster cluster,
                            const std::vector<std::vector<LinkRates>>& rates,
                            std::vector<SimulatedProcessor> processors);

}  // namespace convoy::simulate
