#pragma once

#include <cstddef>
#include <map>

#include "topology/catalogue/catalogue.hpp"
#include "topology/graph/machine.hpp"

namespace convoy::topology {

// A table such as that of nvidia-smi topo -m shows GPUs on NVSwitches as if each had all its links
// to every other one. NVIDIA GPUs that have more links of unknown rate to each other than bricks
// get one NVSwitch instead of these links, and a note says so. `entries` has the entries of the
// GPUs that the catalogue knows.
void replace_links_by_switches(Machine& machine,
                               const std::map<std::size_t, const DeviceEntry*>& entries);

}  // namespace convoy::topology
