#include "plugins/devices/cpu/layers/channel_block.hpp"

#include "plugins/devices/cpu/planes.hpp"

namespace convoy::cpu {
namespace {

using Tag = dnnl::memory::format_tag;

bool is_stored_as(const Desc& desc, Tag tag) {
  return desc == dnnl::memory::desc(dims_of(desc), dnnl::memory::data_type::f32, tag);
}

}  // namespace

bool has_channels_last(const Desc& activations) {
  return activations ==
         dnnl::memory::desc(dims_of(activations), dnnl::memory::data_type::bf16, Tag::nhwc);
}

std::size_t plane_block(const Desc& activations) {
  return has_channels_last(activations) ? Planes::kBf16Block : channel_block(activations);
}

std::size_t channel_block(const Desc& activations) {
  for (const std::size_t block : {8u, 16u}) {
    if (is_stored_as(activations, blocked_activations(block))) return block;
  }
  return 0;
}

Tag blocked_activations(std::size_t block) {
  return block == 8 ? Tag::nChw8c : Tag::nChw16c;
}

std::size_t common_channel_block(const Desc& source, const Desc& weights, const Desc& result) {
  const std::size_t block = channel_block(source);
  if (block == 0 || channel_block(result) != block) return 0;
  return is_stored_as(weights, block == 8 ? Tag::OIhw8i8o : Tag::OIhw16i16o) ? block : 0;
}

Desc winograd_bf16_weights(const dnnl::memory::dims& dims) {
  return {dims, dnnl::memory::data_type::f32, Tag::OIhw16i16o};
}

}  // namespace convoy::cpu
