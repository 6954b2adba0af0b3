// Included by kernels that are compiled once per instruction set: everything is local to a file.
#pragma once

#include <cstddef>

namespace convoy::cpu::CONVOY_KERNEL_SET {
namespace {

// Memory is gone through from front to back. Lines of the cache are asked for early, since the
// processor does not see far enough ahead by itself. Asked for in the second-level cache they came
// up to 1.8 times as fast as in the first (Zen 4, three streams and more). Nothing need be there.
inline void ask_for(const void* line) {
  constexpr int kToRead = 0, kSecondLevel = 2;
  __builtin_prefetch(line, kToRead, kSecondLevel);
}

// Between asking for a line and using it.
inline constexpr std::size_t kBytesAhead = 4096;

template <typename Element>
inline void ask_ahead_of(const Element* line) {
  ask_for(line + kBytesAhead / sizeof(Element));
}

}  // namespace
}  // namespace convoy::cpu::CONVOY_KERNEL_SET
