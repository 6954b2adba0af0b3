#pragma once

#include "topology/read/hwloc_objects.hpp"

namespace convoy::topology {

// Reads links between GPUs from the matrices NVLinkBandwidth, XGMIBandwidth and XeLinkBandwidth of
// an hwloc XML. Throws Error (kUsage) for a damaged matrix.
void read_hwloc_distances(Machine& machine, const XmlDocument& document,
                          const HwlocObjects& objects);

}  // namespace convoy::topology
