#include "topology/detect/usable_cores.hpp"

#include <hwloc.h>

#include <algorithm>
#include <memory>
#include <set>

#include "core/base/error.hpp"
#include "core/base/process/processors.hpp"
#include "topology/detect/hwloc_topology.hpp"

namespace convoy::topology {
namespace {

struct FreeBitmap {
  void operator()(hwloc_bitmap_s* bitmap) const { hwloc_bitmap_free(bitmap); }
};
using Bitmap = std::unique_ptr<hwloc_bitmap_s, FreeBitmap>;

CoreUnits units_of(hwloc_const_bitmap_t set) {
  CoreUnits units;
  for (int unit = hwloc_bitmap_first(set); unit >= 0; unit = hwloc_bitmap_next(set, unit))
    units.push_back(static_cast<unsigned>(unit));
  return units;
}

std::size_t packages_with_memory(hwloc_topology* topology, hwloc_const_bitmap_t allowed) {
  std::set<hwloc_obj_t> packages;
  hwloc_obj_t memory = nullptr;
  while ((memory = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, memory)) != nullptr) {
    if (hwloc_bitmap_intersects(memory->cpuset, allowed) == 0) continue;
    const hwloc_obj_t package = hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_PACKAGE, memory);
    packages.insert(package != nullptr ? package : memory);
  }
  return std::max(packages.size(), std::size_t{1});
}

UsableCores without_hwloc() {
  UsableCores result;
  for (const unsigned unit : usable_processors()) result.cores.push_back({unit});
  result.present = result.cores.size();
  return result;
}

}  // namespace

UsableCores usable_cores(hwloc_topology* topology) {
  const Bitmap allowed(hwloc_bitmap_alloc());
  const Bitmap both(hwloc_bitmap_alloc());
  if (hwloc_get_cpubind(topology, allowed.get(), HWLOC_CPUBIND_PROCESS) != 0 ||
      hwloc_bitmap_intersects(allowed.get(), hwloc_topology_get_topology_cpuset(topology)) == 0)
    hwloc_bitmap_fill(allowed.get());
  UsableCores result;
  result.packages = packages_with_memory(topology, allowed.get());
  hwloc_obj_t core = nullptr;
  while ((core = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_CORE, core)) != nullptr) {
    ++result.present;
    hwloc_bitmap_and(both.get(), core->cpuset, allowed.get());
    if (hwloc_bitmap_iszero(both.get()) == 0) result.cores.push_back(units_of(both.get()));
  }
  return result.cores.empty() ? without_hwloc() : result;
}

UsableCores usable_cores() {
  // IS_THISSYSTEM: hwloc takes the described machine as this one, even if the description is a
  // file.
  const HwlocTopology topology = load_hwloc(
      [](hwloc_topology_t it) { hwloc_topology_set_flags(it, HWLOC_TOPOLOGY_FLAG_IS_THISSYSTEM); });
  return topology ? usable_cores(topology.get()) : without_hwloc();
}

CoreUnits share_of_cores(const std::vector<CoreUnits>& cores, std::size_t part, std::size_t parts) {
  CONVOY_CHECK(!cores.empty() && part < parts);
  const std::size_t first = part * cores.size() / parts;
  const std::size_t last = std::max(first + 1, (part + 1) * cores.size() / parts);
  CoreUnits units;
  for (std::size_t core = first; core < last; ++core)
    units.insert(units.end(), cores[core].begin(), cores[core].end());
  return units;
}

}  // namespace convoy::topology
