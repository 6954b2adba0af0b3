#pragma once

#include <hwloc.h>

#include <functional>
#include <memory>

namespace convoy::topology {

struct DestroyTopology {
  void operator()(hwloc_topology* topology) const { hwloc_topology_destroy(topology); }
};
using HwlocTopology = std::unique_ptr<hwloc_topology, DestroyTopology>;

// This machine, or what hwloc's environment variables say instead; null when hwloc cannot load it.
// `configure` says what is kept, before it is loaded.
HwlocTopology load_hwloc(const std::function<void(hwloc_topology_t)>& configure);

}  // namespace convoy::topology
