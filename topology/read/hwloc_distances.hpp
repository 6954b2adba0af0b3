#pragma once

#include "topology/read/hwloc_objects.hpp"

namespace convoy::topology {

// Links between GPUs from an hwloc XML's matrices NVLinkBandwidth, XGMIBandwidth and
// XeLinkBandwidth. Throws Error (kUsage) for a matrix that is damaged.
void read_hwloc_distances(Machine& machine, const XmlDocument& document,
                          const HwlocObjects& objects);

}  // namespace convoy::topology
