#pragma once

#include <cstddef>
#include <cstdint>

#include "plugins/devices/cpu/kernels/plane_windows.hpp"

namespace convoy::cpu {

// Processes one plane at a time. There is one instance per instruction set, all with the same bits.
// Sums are in the order of the cells. Gradients overwrite, or are added to the present values.
struct PoolKernels {
  // record: for each element, the index of the largest cell in its window, the first one of equal
  // cells; null when not needed. NaN is larger than anything.
  void (*max_forward)(const PlaneWindows& shape, const float* read, float* write,
                      std::uint8_t* record);
  void (*max_backward)(const PlaneWindows& shape, const float* gradient, const std::uint8_t* record,
                       float* write, bool add);
  // shares: for each window, 1 / number of its cells.
  void (*average_forward)(const PlaneWindows& shape, const float* read, const float* shares,
                          float* write);
  void (*average_backward)(const PlaneWindows& shape, const float* gradient, const float* shares,
                           float* write, bool add);
};

// Returns the best kernels of this processor for blocks of 8 or 16 channels.
const PoolKernels& pool_kernels(std::size_t block);

}  // namespace convoy::cpu
