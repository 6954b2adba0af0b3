#pragma once

#include <cstddef>
#include <vector>

struct hwloc_topology;

namespace convoy::topology {

// The processing units of one core, as the kernel numbers them.
using CoreUnits = std::vector<unsigned>;

// The cores of this machine in hwloc's order, so that neighbours are next to each other, with those
// of their processing units that this process may use. taskset may allow fewer than there are.
// Never empty.
struct UsableCores {
  std::vector<CoreUnits> cores;
  std::size_t present = 0;  // cores of the machine, or of the part that its control group shows
  // Packages of these cores that have memory of their own. The packages of a virtual machine may
  // all be on one NUMA node, and a package may have several NUMA nodes.
  std::size_t packages = 1;
};

// Returns all cores if hwloc cannot tell the binding, for example for a described machine.
UsableCores usable_cores(hwloc_topology* topology);
// The cores of this machine. Without hwloc's help, every processing unit counts as a core.
UsableCores usable_cores();

// Returns the processing units of one of `parts` parts of the cores: whole cores, at least one. If
// there are more parts than cores, the parts share cores.
CoreUnits share_of_cores(const std::vector<CoreUnits>& cores, std::size_t part, std::size_t parts);

}  // namespace convoy::topology
