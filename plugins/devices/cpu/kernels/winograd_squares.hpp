#pragma once

// Squares of pixels of a plane, which Winograd convolutions read. Included only by the kernels,
// once per instruction set, so everything is in the set's own namespace.
#include <cstddef>

#include "plugins/devices/cpu/kernels/winograd.hpp"

namespace convoy::cpu::CONVOY_KERNEL_SET {

// Returns the first or the second eight channels of a plane.
template <typename Value>
inline Value* group_of(const WinogradPlane& plane, std::size_t group) {
  return static_cast<Value*>(plane.groups[group]);
}

// The positions of a square's side, from `first` on, that are on the plane.
struct Inside {
  Inside(std::ptrdiff_t first, std::size_t size, std::size_t side)
      : begin(first < 0 ? -first : 0),
        end(first + static_cast<std::ptrdiff_t>(size) > static_cast<std::ptrdiff_t>(side)
                ? static_cast<std::ptrdiff_t>(side) - first
                : static_cast<std::ptrdiff_t>(size)) {}

  bool has(std::size_t position) const {
    return static_cast<std::ptrdiff_t>(position) >= begin &&
           static_cast<std::ptrdiff_t>(position) < end;
  }

  std::ptrdiff_t begin, end;
};

// Copies the part of a square of pixels that is on the plane; zeros elsewhere.
template <std::size_t size, std::size_t lanes, typename Value>
inline void copy_inside(const WinogradPlane& plane, const Value* group, std::ptrdiff_t y,
                        std::ptrdiff_t x, Value* square) {
  constexpr std::size_t kBytes = lanes * sizeof(Value);
  const Inside rows(y, size, plane.height), columns(x, size, plane.width);
  const auto stride = static_cast<std::ptrdiff_t>(plane.pixel_stride);
  for (std::size_t row = 0; row < size; ++row) {
    const std::ptrdiff_t line =
        (y + static_cast<std::ptrdiff_t>(row)) * static_cast<std::ptrdiff_t>(plane.width) + x;
    const bool inside = rows.has(row);
#pragma GCC unroll 6
    for (std::size_t column = 0; column < size; ++column, square += lanes) {
      if (inside && columns.has(column)) {
        __builtin_memcpy(square, group + (line + static_cast<std::ptrdiff_t>(column)) * stride,
                         kBytes);
      } else {
        __builtin_memset(square, 0, kBytes);
      }
    }
  }
}

inline bool lies_inside(const WinogradPlane& plane, std::ptrdiff_t y, std::ptrdiff_t x,
                        std::size_t size) {
  const auto side = static_cast<std::ptrdiff_t>(size);
  return y >= 0 && x >= 0 && y + side <= static_cast<std::ptrdiff_t>(plane.height) &&
         x + side <= static_cast<std::ptrdiff_t>(plane.width);
}

// Prefetches the pixels that the square at a position adds to the square before it.
template <std::size_t size, std::size_t tile, typename Value>
inline void ask_for_square(const WinogradPlane& plane, std::ptrdiff_t y, std::ptrdiff_t x) {
  const Value* const group = group_of<Value>(plane, 0);
  const auto width = static_cast<std::ptrdiff_t>(plane.width);
  const auto stride = static_cast<std::ptrdiff_t>(plane.pixel_stride);
  for (std::size_t row = 0; row < size; ++row) {
    const std::ptrdiff_t line = (y + static_cast<std::ptrdiff_t>(row)) * width + x;
    for (std::size_t column = size - tile; column < size; ++column) {
      __builtin_prefetch(group + (line + static_cast<std::ptrdiff_t>(column)) * stride);
    }
  }
}

}  // namespace convoy::cpu::CONVOY_KERNEL_SET
