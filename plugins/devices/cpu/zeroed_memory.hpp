#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>

namespace convoy::cpu {

struct FreeMemory {
  void operator()(void* memory) const { std::free(memory); }
};
using Memory = std::unique_ptr<void, FreeMemory>;

// Returns zeroed memory of `bytes` bytes (at least one) that begins at a multiple of 4 KiB. Each
// thread of the calling thread's team writes its stretch first, so that pages are on the team's
// NUMA node. Memory larger than a large page gets large pages if the system provides them on
// request: a step walks through hundreds of megabytes, and with pages of 4 KiB, address translation
// takes up to 6 % of its time. Throws std::bad_alloc.
Memory zeroed_memory(std::size_t bytes);

}  // namespace convoy::cpu
