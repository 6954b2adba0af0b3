#pragma once

#include <cstddef>
#include <map>

#include "topology/catalogue/catalogue.hpp"
#include "topology/graph/machine.hpp"

namespace convoy::topology {

// A table such as that of nvidia-smi topo -m shows GPUs on NVSwitches as if each had all its links
// to every other one. GPUs of NVIDIA with more links to each other, of unknown rates, than they
// have at all get one NVSwitch in their place, and a note says so. `entries`: of the GPUs that the
// catalogue knows.
void replace_links_by_switches(Machine& machine,
                               const std::map<std::size_t, const DeviceEntry*>& entries);

}  // namespace convoy::topology
