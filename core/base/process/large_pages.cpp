#include "core/base/process/large_pages.hpp"

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>

namespace convoy {

void prefer_large_pages(void* memory, std::size_t bytes) {
  constexpr std::uintptr_t kPage = std::uintptr_t{1} << 21;
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  const std::uintptr_t begin = (address + kPage - 1) / kPage * kPage;
  const std::uintptr_t end = (address + bytes) / kPage * kPage;
  if (begin >= end) return;
  std::byte* const pages = static_cast<std::byte*>(memory) + (begin - address);
  static_cast<void>(madvise(pages, end - begin, MADV_HUGEPAGE));
}

}  // namespace convoy
