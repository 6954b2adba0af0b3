#include "plugins/devices/cuda/libraries/convolution_shape.hpp"

#include <algorithm>

namespace convoy::cuda {

ConvolutionShape convolution_shape(const convoy_node& node, const convoy_node& input,
                                   std::uint32_t batch, Type type) {
  const convoy_layer& layer = *node.layer;
  ConvolutionShape shape;
  shape.type = type;
  shape.images = batch;
  shape.in_channels = input.channels;
  shape.in_height = input.height;
  shape.in_width = input.width;
  shape.out_channels = node.channels;
  shape.out_height = node.height;
  shape.out_width = node.width;
  shape.kernel_height = layer.kernel_height;
  shape.kernel_width = layer.kernel_width;
  shape.stride_height = layer.stride_height;
  shape.stride_width = layer.stride_width;
  shape.dilation_height = std::max(layer.dilation_height, 1u);
  shape.dilation_width = std::max(layer.dilation_width, 1u);
  shape.pad_top = node.pad_top;
  shape.pad_bottom = node.pad_bottom;
  shape.pad_left = node.pad_left;
  shape.pad_right = node.pad_right;
  shape.groups = std::max(layer.groups, 1u);
  return shape;
}

std::string key_of(const ConvolutionShape& shape, ConvolutionPass pass) {
  constexpr const char* kPasses[] = {"forward", "data", "filter"};
  constexpr const char* kTypes[] = {"f32", "f16", "bf16"};
  std::string key = kPasses[static_cast<int>(pass)];
  key += std::string(" ") + kTypes[static_cast<int>(shape.type)];
  if (shape.type == Type::kFloat && shape.tf32) key += "+tf32";
  if (shape.direct) key += "+direct";
  if (shape.dilation_height > 1 || shape.dilation_width > 1)
    key += " dilated " + std::to_string(shape.dilation_height) + "x" +
           std::to_string(shape.dilation_width);
  for (const std::int64_t number :
       {shape.images, shape.in_channels, shape.in_height, shape.in_width, shape.out_channels,
        shape.out_height, shape.out_width, shape.kernel_height, shape.kernel_width,
        shape.stride_height, shape.stride_width, shape.pad_top, shape.pad_bottom, shape.pad_left,
        shape.pad_right, shape.groups})
    key += " " + std::to_string(number);
  return key;
}

}  // namespace convoy::cuda
