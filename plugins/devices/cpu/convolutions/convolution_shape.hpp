#pragma once

#include "plugins/devices/cpu/kernels/plane_windows.hpp"

namespace convoy::cpu {

// An ungrouped convolution over activations as they are stored.
struct ConvolutionShape : PlaneWindows {
  std::size_t batch;
  std::size_t in_channels, out_channels;  // with the padding of their blocks
  std::size_t block;                      // channels of a block; 0: all are side by side
};

// Whether every pixel of the result reads the pixel in its own place and no other.
inline bool is_dense_1x1(const ConvolutionShape& shape) {
  return shape.kernel_height == 1 && shape.kernel_width == 1 && shape.stride_height == 1 &&
         shape.stride_width == 1 && shape.in_height == shape.out_height &&
         shape.in_width == shape.out_width;
}

}  // namespace convoy::cpu
