#pragma once

#include <cstddef>
#include <cstdint>

namespace convoy::cpu {

// Windows over one plane: the cells of one block of channels of one image. Windows reach beyond the
// image by the padding; only the cells on it count.
struct PoolShape {
  std::size_t in_height, in_width, out_height, out_width;
  std::size_t kernel_height, kernel_width, stride_height, stride_width;
  std::size_t pad_top, pad_left;
};

// One plane at a time, one instance per instruction set, all of the same bits. Sums are in the
// order of the cells. Gradients overwrite, or are added to what is there.
struct PoolKernels {
  // record: per element which cell of its window was the largest, the first one of equals; null
  // when nobody wants to know. Not-a-number is larger than anything.
  void (*max_forward)(const PoolShape& shape, const float* read, float* write,
                      std::uint8_t* record);
  void (*max_backward)(const PoolShape& shape, const float* gradient, const std::uint8_t* record,
                       float* write, bool add);
  // shares: for each window one over the number of its cells.
  void (*average_forward)(const PoolShape& shape, const float* read, const float* shares,
                          float* write);
  void (*average_backward)(const PoolShape& shape, const float* gradient, const float* shares,
                           float* write, bool add);
};

// The kernels for blocks of 8 or 16 channels that suit this processor best.
const PoolKernels& pool_kernels(std::size_t block);

}  // namespace convoy::cpu
