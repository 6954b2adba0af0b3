#include "plugins/devices/cpu/layers/depthwise_layout.hpp"

#include <algorithm>

#include "plugins/devices/cpu/kernels/depthwise.hpp"
#include "plugins/devices/cpu/layers/channel_block.hpp"
#include "plugins/devices/cpu/layers/layer_windows.hpp"

namespace convoy::cpu {
namespace {

using Tag = dnnl::memory::format_tag;
constexpr auto kElement = dnnl::memory::data_type::f32;

}  // namespace

bool is_depthwise(const convoy_node& node, const convoy_node& input) {
  const convoy_layer& layer = *node.layer;
  return layer.groups > 1 && !is_dilated(layer) && layer.groups == node.channels &&
         layer.groups == input.channels &&
         layer.kernel_height * layer.kernel_width <= kMostDepthwiseTaps &&
         std::max(layer.stride_height, layer.stride_width) <= kMostDepthwiseStride;
}

std::size_t depthwise_block(const dnnl::convolution_forward::primitive_desc& forward) {
  const std::size_t block = plane_block(forward.src_desc());
  return plane_block(forward.dst_desc()) == block ? block : 0;
}

Desc depthwise_weights(const convoy_node& node, std::size_t block) {
  const dnnl::memory::dims dims = {node.channels, 1, node.layer->kernel_height,
                                   node.layer->kernel_width};
  return {dims, kElement, block == 8 ? Tag::Abcd8a : Tag::Abcd16a};
}

}  // namespace convoy::cpu
