#include "plugins/devices/cpu/stream_size.hpp"

#include <algorithm>

namespace convoy::cpu {
namespace {

constexpr std::size_t kLeastBytes = std::size_t{64} << 20;
constexpr double kMostPerCore = 48 << 20;

}  // namespace

std::size_t cache_share(hwloc_topology_t topology, hwloc_const_bitmap_t cores) {
  const int core_count = hwloc_get_nbobjs_inside_cpuset_by_type(topology, cores, HWLOC_OBJ_CORE);
  double bytes = 0;
  for (const hwloc_obj_type_t type : {HWLOC_OBJ_L3CACHE, HWLOC_OBJ_L2CACHE}) {
    const int count = hwloc_get_nbobjs_by_type(topology, type);
    const hwloc_bitmap_t ours = hwloc_bitmap_alloc();
    for (int i = 0; i < count; ++i) {
      const hwloc_obj_t cache = hwloc_get_obj_by_type(topology, type, static_cast<unsigned>(i));
      hwloc_bitmap_and(ours, cores, cache->cpuset);
      bytes += static_cast<double>(cache->attr->cache.size) * hwloc_bitmap_weight(ours) /
               hwloc_bitmap_weight(cache->cpuset);
    }
    hwloc_bitmap_free(ours);
    if (bytes > 0) break;
  }
  // Cores of which the set has only some hardware threads are not counted.
  return static_cast<std::size_t>(std::min(bytes, std::max(core_count, 1) * kMostPerCore));
}

std::size_t stream_bytes(std::size_t cache) {
  return std::max(kLeastBytes, cache / 2);
}

}  // namespace convoy::cpu
