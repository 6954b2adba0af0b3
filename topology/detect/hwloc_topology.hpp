#pragma once

#include <hwloc.h>

#include <functional>
#include <memory>

namespace convoy::topology {

struct DestroyTopology {
  void operator()(hwloc_topology* topology) const { hwloc_topology_destroy(topology); }
};
using HwlocTopology = std::unique_ptr<hwloc_topology, DestroyTopology>;

// Loads this machine, or the one that hwloc's environment variables name; null when hwloc cannot
// load it. `configure` sets what is kept, and is called before loading.
HwlocTopology load_hwloc(const std::function<void(hwloc_topology_t)>& configure);

}  // namespace convoy::topology
