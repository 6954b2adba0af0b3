#pragma once

#include <hwloc.h>

#include <cstddef>

namespace convoy::cpu {

// Returns the bytes of the last-level caches that belong to these cores. A device with half of a
// cache's cores leaves the other half to its neighbours, which measure at the same time. The result
// is at most 48 MiB per core, the most that any processor has (EPYC 7373X, 9184X), because virtual
// machines see the caches of their whole hosts.
std::size_t cache_share(hwloc_topology_t topology, hwloc_const_bitmap_t cores);

// Returns the bytes of each of the three arrays that are summed. Together they are one and a half
// times as large as the cache. So, however many devices share the cache, data have left it before
// they are read again.
std::size_t stream_bytes(std::size_t cache);

}  // namespace convoy::cpu
