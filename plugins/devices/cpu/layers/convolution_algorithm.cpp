#include "plugins/devices/cpu/layers/convolution_algorithm.hpp"

#include <algorithm>
#include <cstdint>

#include "plugins/devices/cpu/layers/depthwise_layout.hpp"
#include "plugins/devices/cpu/layers/direct_weights_gradient.hpp"
#include "plugins/devices/cpu/layers/layer_windows.hpp"

namespace convoy::cpu {
namespace {

// With fewer channels the transforms cost more than the multiplications that they save.
constexpr std::uint32_t kLeastChannels3x3 = 16;
constexpr std::uint32_t kLeastChannels5x5 = 32;

// What winograd.hpp can compute; rounding to bf16 is defined on the direct algorithm.
bool suits_winograd(const convoy_node& node, const convoy_node& input,
                    const convoy_compilation& compilation) {
  const convoy_layer& layer = *node.layer;
  if ((compilation.flags & CONVOY_COMPILE_DIRECT_CONVOLUTIONS) != 0) return false;
  if (compilation.dtype != CONVOY_F32 || layer.groups > 1 || is_dilated(layer)) return false;
  const std::uint32_t taps = layer.kernel_height;
  if ((taps != 3 && taps != 5) || layer.kernel_width != taps) return false;
  if (layer.stride_height != 1 || layer.stride_width != 1) return false;
  if (std::max({node.pad_top, node.pad_left, node.pad_bottom, node.pad_right}) >= taps) {
    return false;
  }
  return std::min(node.channels, input.channels) >=
         (taps == 3 ? kLeastChannels3x3 : kLeastChannels5x5);
}

}  // namespace

ConvolutionAlgorithms choose_convolution_algorithms(const convoy_node& node,
                                                    const convoy_node& input,
                                                    const convoy_compilation& compilation) {
  constexpr auto kDepthwise = ConvolutionAlgorithm::kDepthwise;
  if (is_depthwise(node, input)) return {kDepthwise, kDepthwise, kDepthwise};
  ConvolutionAlgorithms chosen;
  if (suits_winograd(node, input, compilation)) {
    chosen.forward = ConvolutionAlgorithm::kWinograd;
    chosen.backward_data = ConvolutionAlgorithm::kWinograd;
    chosen.backward_weights = ConvolutionAlgorithm::kWinograd;
  } else if (suits_direct_weights_gradient(node, input, compilation)) {
    chosen.backward_weights = ConvolutionAlgorithm::kDirect;
  }
  return chosen;
}

}  // namespace convoy::cpu
