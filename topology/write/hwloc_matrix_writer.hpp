#pragma once

#include "topology/graph/machine.hpp"
#include "topology/read/hwloc_numbers.hpp"

namespace convoy::topology {

// Writes hwloc's matrix NVLinkBandwidth of the links between nodes that have been written: GPUs,
// packages, NVSwitches. In MB/s, as hwloc has it: an NVLink of unknown rate is left out.
void write_hwloc_nvlink(pugi::xml_node topology, const Machine& machine,
                        const HwlocNumbers& numbers);

}  // namespace convoy::topology
