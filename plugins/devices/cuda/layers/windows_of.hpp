#pragma once

#include "plugins/devices/cuda/kernels/window.hpp"
#include "plugins/devices/cuda/programs/program_builder.hpp"

namespace convoy::cuda {

// The windows of a pool or a depthwise convolution.
inline Windows windows_of(const ProgramBuilder& builder, std::size_t node) {
  const convoy_node& out = builder.shape(node);
  const convoy_node& in = builder.shape(builder.node(node).inputs[0]);
  const convoy_layer& layer = builder.layer(node);
  Windows windows{};
  windows.images = builder.batch();
  windows.channels = out.channels;
  windows.in_height = in.height;
  windows.in_width = in.width;
  windows.out_height = out.height;
  windows.out_width = out.width;
  windows.kernel_height = layer.kernel_height;
  windows.kernel_width = layer.kernel_width;
  windows.stride_height = layer.stride_height;
  windows.stride_width = layer.stride_width;
  windows.pad_top = out.pad_top;
  windows.pad_left = out.pad_left;
  return windows;
}

}  // namespace convoy::cuda
