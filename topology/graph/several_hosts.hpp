#pragma once

#include <cstdint>

#include "topology/graph/machine.hpp"

namespace convoy::topology {

// A larger number, of one machine or of unlike ones on one network, is a typing error.
inline constexpr std::uint32_t kMostHosts = 4096;

// Returns `hosts` copies of a host on one network. The network cards lead to it, each at its own
// speed, all at once: no switch between them is a limit. One host is returned unchanged. Throws
// Error (kUsage) for a machine that holds several hosts already, and for several copies of a host
// without a network card.
Machine several_hosts(const Machine& host, std::uint32_t hosts);

}  // namespace convoy::topology
