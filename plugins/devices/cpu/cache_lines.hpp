#pragma once

#include <cstddef>
#include <cstdint>

namespace convoy::cpu {

inline constexpr std::size_t kCacheLine = 64;  // bytes

constexpr std::size_t divide_up(std::size_t value, std::size_t by) {
  return (value + by - 1) / by;
}

constexpr std::size_t whole_lines(std::size_t bytes) {
  return divide_up(bytes, kCacheLine) * kCacheLine;
}

// Returns the first whole cache line in the memory.
inline std::byte* at_line(void* memory) {
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  return static_cast<std::byte*>(memory) + (whole_lines(address) - address);
}

}  // namespace convoy::cpu
