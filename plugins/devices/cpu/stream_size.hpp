#pragma once

#include <hwloc.h>

#include <cstddef>

namespace convoy::cpu {

// Bytes of the last-level caches that are these cores' part: a device that has half of a cache's
// cores leaves the other half to its neighbours, which measure at the same time. At most 48 MiB per
// core, the most that any processor has (EPYC 7373X, 9184X): virtual machines are told of the
// caches of their whole hosts.
std::size_t cache_share(hwloc_topology_t topology, hwloc_const_bitmap_t cores);

// Bytes of each of the three arrays that are summed: together half as large again as the cache, so
// that what is streamed through has left it when its turn comes, however many devices share it.
std::size_t stream_bytes(std::size_t cache);

}  // namespace convoy::cpu
