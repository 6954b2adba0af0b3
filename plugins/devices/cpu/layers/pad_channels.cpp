#include "plugins/devices/cpu/layers/layers.hpp"

#include <cstring>

#include "plugins/devices/cpu/lanes/team.hpp"
#include "plugins/devices/cpu/programs/program_builder.hpp"

namespace convoy::cpu {
namespace {

using Tag = dnnl::memory::format_tag;

dnnl::memory::dims first_cell(const ProgramBuilder& builder, std::size_t node) {
  const NodePlan& plan = builder.plan(node);
  return {0, (plan.node->channels - builder.plan(plan.inputs[0]).node->channels) / 2, 0, 0};
}

// Returns the input's layout, unless its blocks of channels would cross the border of the padding.
Desc padded_desc(const ProgramBuilder& builder, std::size_t node) {
  const std::size_t input = builder.plan(node).inputs[0];
  if (builder.stores_bf16()) return builder.channels_last(node);
  for (const Tag tag : {Tag::nChw8c, Tag::nChw16c, Tag::nhwc}) {
    const Desc wanted(builder.dims(node), dnnl::memory::data_type::f32, tag);
    if (builder.desc(input) != Desc(builder.dims(input), dnnl::memory::data_type::f32, tag))
      continue;
    if (wanted.submemory_desc(builder.dims(input), first_cell(builder, node), true)) return wanted;
  }
  return builder.plain(node);
}

Task clear_task(const dnnl::memory& memory) {
  return [memory, bytes = memory.get_desc().get_size()](const TaskContext&) {
    char* start = static_cast<char*>(memory.get_data_handle());
    parallel_stretches(bytes, [start](std::size_t first, std::size_t size) {
      std::memset(start + first, 0, size);
    });
  };
}

}  // namespace

void PadChannels::build_forward(ProgramBuilder& builder, std::size_t node) {
  const std::size_t input = builder.plan(node).inputs[0];
  const dnnl::memory write = builder.define(node, padded_desc(builder, node));
  builder.then(clear_task(write));
  const Desc slice =
      write.get_desc().submemory_desc(builder.dims(input), first_cell(builder, node));
  builder.reorder(builder.read(input), builder.view(write, slice));
}

void PadChannels::build_backward(ProgramBuilder& builder, std::size_t node) {
  const std::size_t input = builder.plan(node).inputs[0];
  if (!builder.plan(input).needs_gradient) return;
  const dnnl::memory own = builder.gradient(node);
  const Desc slice = own.get_desc().submemory_desc(builder.dims(input), first_cell(builder, node));
  const GradientPart part = builder.begin_gradient(input, builder.desc(input));
  builder.reorder(builder.view(own, slice), part.memory);
  builder.finish_gradient(input, part);
}

}  // namespace convoy::cpu
