#pragma once

#include "topology/graph/machine.hpp"
#include "topology/read/hwloc_numbers.hpp"

namespace convoy::topology {

// Writes hwloc's matrix NVLinkBandwidth for the links between nodes that have been written: GPUs,
// packages, NVSwitches. Rates are in MB/s, as in hwloc. NVLinks of unknown rate are left out.
void write_hwloc_nvlink(pugi::xml_node topology, const Machine& machine,
                        const HwlocNumbers& numbers);

}  // namespace convoy::topology
