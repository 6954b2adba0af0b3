#pragma once

#include <cstddef>
#include <cstdint>

#include "plugins/devices/cpu/kernels/plane_windows.hpp"

namespace convoy::cpu {

// One plane at a time, one instance per instruction set, all of the same bits. Sums are in the
// order of the cells. Gradients overwrite, or are added to what is there.
struct PoolKernels {
  // record: per element which cell of its window was the largest, the first one of equals; null
  // when nobody wants to know. Not-a-number is larger than anything.
  void (*max_forward)(const PlaneWindows& shape, const float* read, float* write,
                      std::uint8_t* record);
  void (*max_backward)(const PlaneWindows& shape, const float* gradient, const std::uint8_t* record,
                       float* write, bool add);
  // shares: for each window one over the number of its cells.
  void (*average_forward)(const PlaneWindows& shape, const float* read, const float* shares,
                          float* write);
  void (*average_backward)(const PlaneWindows& shape, const float* gradient, const float* shares,
                           float* write, bool add);
};

// The kernels for blocks of 8 or 16 channels that suit this processor best.
const PoolKernels& pool_kernels(std::size_t block);

}  // namespace convoy::cpu
