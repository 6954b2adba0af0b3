#pragma once

#include <cstddef>
#include <vector>

struct hwloc_topology;

namespace convoy::topology {

// The processing units of one core, as the kernel numbers them.
using CoreUnits = std::vector<unsigned>;

// The cores of this machine, neighbours beside each other, with those of their processing units
// that this process may use: taskset may say fewer than there are. Never empty.
struct UsableCores {
  std::vector<CoreUnits> cores;
  std::size_t present = 0;  // cores of the machine, or of what its control group shows
  // That they are in and that have memory of their own: what virtual machines call packages may all
  // be on one NUMA node, and a package may have several.
  std::size_t packages = 1;
};

// Where hwloc cannot tell what is bound, of a described machine for example: all of its cores.
UsableCores usable_cores(hwloc_topology* topology);
// Of this machine. Without hwloc's help a processing unit is a core.
UsableCores usable_cores();

// The processing units of one of `parts` parts of the cores: whole cores, at least one. If there
// are more parts than cores, they share cores.
CoreUnits share_of_cores(const std::vector<CoreUnits>& cores, std::size_t part, std::size_t parts);

}  // namespace convoy::topology
