#pragma once

#include <string>

#include "topology/graph/machine.hpp"

namespace convoy::topology {

// Returns the machine's first host as XML of hwloc's version 2, for lstopo and other programs. If
// the processors are unknown, each package gets one logical processor per core, or one.
std::string write_hwloc_xml(const Machine& machine);

}  // namespace convoy::topology
