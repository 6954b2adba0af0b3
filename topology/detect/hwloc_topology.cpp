#include "topology/detect/hwloc_topology.hpp"

namespace convoy::topology {

HwlocTopology load_hwloc(const std::function<void(hwloc_topology_t)>& configure) {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) return nullptr;
  HwlocTopology topology(raw);
  configure(raw);
  if (hwloc_topology_load(raw) != 0) return nullptr;
  return topology;
}

}  // namespace convoy::topology
