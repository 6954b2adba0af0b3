// Included by kernels that are compiled once per instruction set, so everything is local to a file.
#pragma once

#include <cstddef>

namespace convoy::cpu::CONVOY_KERNEL_SET {
namespace {

// Prefetches a cache line. Memory is read from front to back, but the processor does not look far
// enough ahead by itself. Prefetched into the second-level cache, lines came up to 1.8 times as
// fast as into the first (Zen 4, three streams and more). The line need not exist.
inline void ask_for(const void* line) {
  constexpr int kToRead = 0, kSecondLevel = 2;
  __builtin_prefetch(line, kToRead, kSecondLevel);
}

// Distance between prefetching a line and using it.
inline constexpr std::size_t kBytesAhead = 4096;

template <typename Element>
inline void ask_ahead_of(const Element* line) {
  ask_for(line + kBytesAhead / sizeof(Element));
}

}  // namespace
}  // namespace convoy::cpu::CONVOY_KERNEL_SET
