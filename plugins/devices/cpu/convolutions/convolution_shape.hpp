#pragma once

#include "plugins/devices/cpu/kernels/plane_windows.hpp"

namespace convoy::cpu {

// A convolution without groups over activations in their stored layout.
struct ConvolutionShape : PlaneWindows {
  std::size_t batch;
  std::size_t in_channels, out_channels;  // including the padding of their blocks
  std::size_t block;  // channels per block; 0: all channels of a pixel are consecutive
};

// Whether every pixel of the result reads only the pixel at the same position.
inline bool is_dense_1x1(const ConvolutionShape& shape) {
  return shape.kernel_height == 1 && shape.kernel_width == 1 && shape.stride_height == 1 &&
         shape.stride_width == 1 && shape.in_height == shape.out_height &&
         shape.in_width == shape.out_width;
}

}  // namespace convoy::cpu
