#pragma once

#include <convoy/abi.h>

#include <cstdint>
#include <string>

#include "plugins/devices/cuda/kernels/types.hpp"

namespace convoy::cuda {

// Sizes of a convolution on NHWC activations with filters [output][row][column][input of a group].
struct ConvolutionShape {
  Type type = Type::kFloat;
  std::int64_t images = 0;
  std::int64_t in_channels = 0, in_height = 0, in_width = 0;
  std::int64_t out_channels = 0, out_height = 0, out_width = 0;
  std::int64_t kernel_height = 0, kernel_width = 0;
  std::int64_t stride_height = 1, stride_width = 1;
  std::int64_t dilation_height = 1, dilation_width = 1;
  std::int64_t pad_top = 0, pad_bottom = 0, pad_left = 0, pad_right = 0;
  std::int64_t groups = 1;
  bool tf32 = false;    // factors of f32 may be rounded to TF32
  bool direct = false;  // no algorithms that save multiplications but round differently

  std::int64_t filter_elements() const {
    return out_channels * kernel_height * kernel_width * (in_channels / groups);
  }
  // Whether the plug-in's own kernels compute it.
  bool is_depthwise() const {
    return groups == in_channels && out_channels == in_channels && dilation_height == 1 &&
           dilation_width == 1;
  }
};

ConvolutionShape convolution_shape(const convoy_node& node, const convoy_node& input,
                                   std::uint32_t batch, Type type);

enum class ConvolutionPass { kForward, kData, kFilter };

// Returns a line of text that is equal exactly for convolutions with the same best algorithm.
std::string key_of(const ConvolutionShape& shape, ConvolutionPass pass);

}  // namespace convoy::cuda
