#include "plugins/devices/cpu/layers/convolution_algorithm.hpp"

#include <algorithm>
#include <cstdint>

#include "plugins/devices/cpu/convolutions/bf16_kernels.hpp"
#include "plugins/devices/cpu/kernels/winograd.hpp"
#include "plugins/devices/cpu/layers/depthwise_layout.hpp"
#include "plugins/devices/cpu/layers/direct_weights_gradient.hpp"
#include "plugins/devices/cpu/layers/layer_windows.hpp"
#include "plugins/devices/cpu/programs/precision.hpp"

namespace convoy::cpu {
namespace {

// With fewer channels the transforms cost more than the multiplications that they save.
constexpr std::uint32_t kLeastChannels3x3 = 16;
constexpr std::uint32_t kLeastChannels5x5 = 32;
constexpr std::uint32_t kLeastBf16Channels = 64;
constexpr std::uint32_t kLeastBf16GradientChannels = 32;  // for gradients of weights

// The number of results that whole tiles compute, divided by the number that is needed.
double tile_waste(const convoy_node& node) {
  constexpr std::uint32_t kTile = 4;
  const auto whole = [](std::uint32_t side) { return (side + kTile - 1) / kTile * kTile; };
  return double{1} * whole(node.height) * whole(node.width) / node.height / node.width;
}

// In bf16, the direct algorithm multiplies twice as fast as Winograd's in f32, and many times as
// fast with tile registers. With vectors (Zen 4 and 5), Winograd's was measured to be faster from
// this many channels on, with no more waste than images of 13 x 13 have.
bool suits_bf16_winograd(const convoy_node& node, const convoy_node& input,
                         std::uint32_t least_channels) {
  constexpr double kMostWaste = 1.55;
  const Bf16Kernels* const kernels = bf16_kernels();
  return kernels != nullptr && !kernels->uses_tiles && node.layer->kernel_height == 3 &&
         node.channels % kWinogradPanel == 0 && input.channels % kWinogradPanel == 0 &&
         std::min(node.channels, input.channels) >= least_channels && tile_waste(node) < kMostWaste;
}

// Whether winograd.hpp supports the convolution. Emulated rounding to bf16 is defined on the direct
// algorithm.
bool suits_winograd(const convoy_node& node, const convoy_node& input,
                    const convoy_compilation& compilation) {
  const convoy_layer& layer = *node.layer;
  if ((compilation.flags & CONVOY_COMPILE_DIRECT_CONVOLUTIONS) != 0) return false;
  if (precision_of(compilation) == Precision::kEmulatedBf16) return false;
  if (layer.groups > 1 || is_dilated(layer)) return false;
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
    const bool bf16 = compilation.dtype == CONVOY_BF16;
    if (!bf16 || suits_bf16_winograd(node, input, kLeastBf16Channels)) {
      chosen.forward = ConvolutionAlgorithm::kWinograd;
      chosen.backward_data = ConvolutionAlgorithm::kWinograd;
    }
    if (!bf16 || suits_bf16_winograd(node, input, kLeastBf16GradientChannels)) {
      chosen.backward_weights = ConvolutionAlgorithm::kWinograd;
    }
  } else if (suits_direct_weights_gradient(node, input, compilation)) {
    chosen.backward_weights = ConvolutionAlgorithm::kDirect;
  }
  return chosen;
}

}  // namespace convoy::cpu
