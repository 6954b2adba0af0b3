#pragma once

#include <convoy/abi.h>

#include <cstdint>

namespace convoy::graph {

// How a sliding window covers one axis of its input, in cells.
struct AxisWindow {
  uint32_t output = 0;
  uint32_t before = 0;  // padding at the top or left
  uint32_t after = 0;   // padding at the bottom or right
};

// The cover that a convoy_padding rule gives for a non-zero input, kernel and stride. The output is
// 0 when the kernel does not fit; every window of a non-empty output touches at least one real
// cell.
AxisWindow cover_axis(uint32_t input, uint32_t kernel, uint32_t stride, uint32_t padding);

}  // namespace convoy::graph
