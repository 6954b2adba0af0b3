#include "plugins/devices/cpu/layers/layers.hpp"

#include <algorithm>

#include "plugins/devices/cpu/layers/channel_copy.hpp"
#include "plugins/devices/cpu/programs/program_builder.hpp"

namespace convoy::cpu {
namespace {

// Uses the largest blocks of channels that an input has, padded to whole blocks. The convolutions
// and normalisations that follow are fast with them, whatever the offsets of the inputs are.
Desc joined(const ProgramBuilder& builder, std::size_t node) {
  std::size_t block = 1;
  for (std::size_t input : builder.plan(node).inputs) {
    const auto storage = channel_storage(builder.desc(input));
    if (storage) block = std::max(block, storage->block);
  }
  if (builder.stores_bf16()) return builder.channels_last(node);
  constexpr auto kFloat = dnnl::memory::data_type::f32;
  if (block == 8) return {builder.dims(node), kFloat, dnnl::memory::format_tag::nChw8c};
  if (block == 16) return {builder.dims(node), kFloat, dnnl::memory::format_tag::nChw16c};
  return builder.plain(node);
}

std::size_t channels_of(const ProgramBuilder& builder, std::size_t node) {
  return builder.plan(node).node->channels;
}

}  // namespace

void Concat::build_forward(ProgramBuilder& builder, std::size_t node) {
  const dnnl::memory whole = builder.define(node, joined(builder, node));
  std::vector<ChannelCopy> copies;
  std::size_t first = 0;
  for (std::size_t input : builder.plan(node).inputs) {
    const bool known = channel_storage(builder.desc(input)).has_value();
    const dnnl::memory part =
        known ? builder.read(input) : builder.read_as(input, builder.flat(input));
    copies.push_back({whole, part, first, 0, channels_of(builder, input)});
    first += channels_of(builder, input);
  }
  builder.then(copy_channels_task(copies));
}

void Concat::build_backward(ProgramBuilder& builder, std::size_t node) {
  const dnnl::memory whole = builder.gradient(node);
  std::size_t first = 0;
  for (std::size_t input : builder.plan(node).inputs) {
    const std::size_t channels = channels_of(builder, input);
    if (builder.plan(input).needs_gradient) {
      const bool known = channel_storage(builder.desc(input)).has_value();
      const GradientPart part =
          builder.begin_gradient(input, known ? builder.desc(input) : builder.flat(input));
      builder.then(copy_channels_task({{part.memory, whole, 0, first, channels}}));
      builder.finish_gradient(input, part);
    }
    first += channels;
  }
}

}  // namespace convoy::cpu
