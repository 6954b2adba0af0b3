#pragma once

#include <cstdint>

#include "topology/graph/machine.hpp"

namespace convoy::topology {

// More of one machine, or of unlike ones on one network, is a typing error.
inline constexpr std::uint32_t kMostHosts = 4096;

// So many of a host on one network, which its network cards lead to at their own speeds, all at
// once: no switch between them is a limit. One host is returned as it is. Throws Error (kUsage) for
// a machine that holds several hosts already, and for several of one without a network card.
Machine several_hosts(const Machine& host, std::uint32_t hosts);

}  // namespace convoy::topology
