#include "plugins/devices/cpu/zeroed_memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "plugins/devices/cpu/lanes/team.hpp"

namespace convoy::cpu {
namespace {

constexpr std::size_t kPageBytes = std::size_t{1} << 12;
constexpr std::size_t kLargePageBytes = std::size_t{1} << 21;

}  // namespace

Memory zeroed_memory(std::size_t bytes) {
  const std::size_t alignment = bytes < kLargePageBytes ? kPageBytes : kLargePageBytes;
  const std::size_t size =
      (std::max<std::size_t>(bytes, 1) + kPageBytes - 1) / kPageBytes * kPageBytes;
  void* allocated = nullptr;
  if (posix_memalign(&allocated, alignment, size) != 0) throw std::bad_alloc();
  Memory memory(allocated);
  // This is only advice: without it, pages are small.
  if (alignment == kLargePageBytes) static_cast<void>(madvise(memory.get(), size, MADV_HUGEPAGE));
  char* const start = static_cast<char*>(memory.get());
  parallel_stretches(size, [start](std::size_t first, std::size_t count) {
    std::memset(start + first, 0, count);
  });
  return memory;
}

}  // namespace convoy::cpu
