#pragma once

#include <span>

#include "topology/graph/machine.hpp"

namespace convoy::topology {

// The same machine with these GPUs, by the addresses that a driver gives them, before all others
// and in this order. Error kUnavailable naming an address that is no GPU of the machine, or one
// that is there twice.
Machine gpus_first(const Machine& machine, std::span<const PciAddress> order);

}  // namespace convoy::topology
