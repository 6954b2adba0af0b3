#pragma once

#include <convoy/abi.h>

#include "plugins/devices/cpu/kernels/plane_windows.hpp"

namespace convoy::cpu {

// The windows that a pool or a convolution has over its input. Own kernels need adjacent taps; the
// library computes other convolutions.
inline bool is_dilated(const convoy_layer& layer) {
  return layer.dilation_height > 1 || layer.dilation_width > 1;
}

inline PlaneWindows windows_of(const convoy_node& node, const convoy_node& input) {
  const convoy_layer& layer = *node.layer;
  return {.in_height = input.height,
          .in_width = input.width,
          .out_height = node.height,
          .out_width = node.width,
          .kernel_height = layer.kernel_height,
          .kernel_width = layer.kernel_width,
          .stride_height = layer.stride_height,
          .stride_width = layer.stride_width,
          .pad_top = node.pad_top,
          .pad_left = node.pad_left};
}

}  // namespace convoy::cpu
