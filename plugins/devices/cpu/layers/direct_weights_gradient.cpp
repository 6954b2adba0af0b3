#include "plugins/devices/cpu/layers/direct_weights_gradient.hpp"

#include <memory>

#include "plugins/devices/cpu/convolutions/weights_gradient.hpp"
#include "plugins/devices/cpu/layers/channel_block.hpp"
#include "plugins/devices/cpu/program_builder.hpp"

namespace convoy::cpu {
namespace {

using Tag = dnnl::memory::format_tag;

BlockedConvolution blocked(const convoy_node& node, const Desc& source, const Desc& result,
                           std::size_t block) {
  const auto size = [](const Desc& desc, int dimension) {
    return static_cast<std::size_t>(desc.data.padded_dims[dimension]);
  };
  return {.batch = size(source, 0),
          .block = block,
          .in_channels = size(source, 1),
          .in_height = size(source, 2),
          .in_width = size(source, 3),
          .out_channels = size(result, 1),
          .out_height = size(result, 2),
          .out_width = size(result, 3),
          .kernel_height = node.layer->kernel_height,
          .kernel_width = node.layer->kernel_width,
          .stride_height = node.layer->stride_height,
          .stride_width = node.layer->stride_width,
          .pad_top = node.pad_top,
          .pad_left = node.pad_left};
}

Desc vector_of(std::size_t count) {
  return {{static_cast<dnnl::memory::dim>(count)}, dnnl::memory::data_type::f32, Tag::x};
}

}  // namespace

bool suits_direct_weights_gradient(const convoy_node& node, const convoy_node& input,
                                   const convoy_compilation& compilation) {
  constexpr std::uint32_t kLeastChannels = 8;  // fewer are not stored in blocks
  const convoy_layer& layer = *node.layer;
  return compilation.dtype == CONVOY_F32 && layer.groups <= 1 &&
         layer.kernel_height * layer.kernel_width > 1 && input.channels >= kLeastChannels &&
         node.channels >= kLeastChannels;
}

bool build_direct_weights_gradient(ProgramBuilder& builder, std::size_t node,
                                   const dnnl::convolution_forward::primitive_desc& forward) {
  const NodePlan& plan = builder.plan(node);
  const std::size_t block =
      common_channel_block(forward.src_desc(), forward.weights_desc(), forward.dst_desc());
  if (block == 0) return false;
  const auto kernel = std::make_shared<const WeightsGradient>(
      blocked(*plan.node, forward.src_desc(), forward.dst_desc(), block));
  const std::uint32_t weights = plan.node->variables[0];
  const std::uint32_t bias = plan.node->variables[1];
  const dnnl::memory source = builder.read_as(plan.inputs[0], forward.src_desc());
  const dnnl::memory result = builder.gradient_as(node, forward.dst_desc());
  const dnnl::memory scratch = builder.scratchpad(vector_of(kernel->scratch_floats()));
  const GradientPart part = builder.begin_variable_gradient(weights, forward.weights_desc());
  const std::size_t bias_count = bias == CONVOY_NONE ? 0 : plan.node->channels;
  GradientPart bias_part;
  if (bias_count > 0) bias_part = builder.begin_variable_gradient(bias, vector_of(bias_count));
  builder.then([=](const TaskContext&) {
    kernel->run({.source = floats_of(source),
                 .result = floats_of(result),
                 .weights = floats_of(part.memory),
                 .bias = bias_count > 0 ? floats_of(bias_part.memory) : nullptr,
                 .bias_count = bias_count,
                 .scratch = floats_of(scratch)});
  });
  builder.finish_variable_gradient(weights, part);
  if (bias_count > 0) builder.finish_variable_gradient(bias, bias_part);
  return true;
}

}  // namespace convoy::cpu
