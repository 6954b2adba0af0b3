#include "plugins/devices/cpu/layers/direct_weights_gradient.hpp"

#include <omp.h>

#include <memory>

#include "plugins/devices/cpu/convolutions/amx_weights_gradient.hpp"
#include "plugins/devices/cpu/convolutions/weights_gradient.hpp"
#include "plugins/devices/cpu/layers/channel_block.hpp"
#include "plugins/devices/cpu/program_builder.hpp"

namespace convoy::cpu {
namespace {

using Tag = dnnl::memory::format_tag;

BlockedConvolution blocked(const convoy_node& node, const Desc& source, const Desc& result,
                           std::size_t block) {
  return {.batch = padded_size(source, 0),
          .block = block,
          .in_channels = padded_size(source, 1),
          .in_height = padded_size(source, 2),
          .in_width = padded_size(source, 3),
          .out_channels = padded_size(result, 1),
          .out_height = padded_size(result, 2),
          .out_width = padded_size(result, 3),
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

ChannelsLastConvolution channels_last(const ProgramBuilder& builder, std::size_t node) {
  const convoy_node& here = *builder.plan(node).node;
  const convoy_node& input = *builder.plan(builder.plan(node).inputs[0]).node;
  return {.batch = builder.compilation().batch,
          .in_channels = input.channels,
          .in_height = input.height,
          .in_width = input.width,
          .out_channels = here.channels,
          .out_height = here.height,
          .out_width = here.width,
          .kernel_height = here.layer->kernel_height,
          .kernel_width = here.layer->kernel_width,
          .stride_height = here.layer->stride_height,
          .stride_width = here.layer->stride_width,
          .pad_top = here.pad_top,
          .pad_left = here.pad_left};
}

// The places of the gradients of a convolution's weights and bias; without a bias its is empty.
struct VariableGradients {
  VariableGradients(ProgramBuilder& builder, std::size_t node, const Desc& weights_desc)
      : node_(*builder.plan(node).node),
        weights(builder.begin_variable_gradient(node_.variables[0], weights_desc)) {
    if (has_bias()) {
      bias = builder.begin_variable_gradient(node_.variables[1], vector_of(node_.channels));
    }
  }
  bool has_bias() const { return node_.variables[1] != CONVOY_NONE; }
  void finish(ProgramBuilder& builder) const {
    builder.finish_variable_gradient(node_.variables[0], weights);
    if (has_bias()) builder.finish_variable_gradient(node_.variables[1], bias);
  }

  const convoy_node& node_;
  GradientPart weights, bias;
};

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
  const dnnl::memory source = builder.read_as(plan.inputs[0], forward.src_desc());
  const dnnl::memory result = builder.gradient_as(node, forward.dst_desc());
  const dnnl::memory scratch = builder.scratchpad(vector_of(kernel->scratch_floats()));
  const VariableGradients parts(builder, node, forward.weights_desc());
  builder.then([=, weights = parts.weights.memory, bias = parts.bias.memory,
                bias_count = parts.has_bias() ? plan.node->channels : 0](const TaskContext&) {
    kernel->run({.source = floats_of(source),
                 .result = floats_of(result),
                 .weights = floats_of(weights),
                 .bias = bias ? floats_of(bias) : nullptr,
                 .bias_count = bias_count,
                 .scratch = floats_of(scratch)});
  });
  parts.finish(builder);
  return true;
}

bool build_amx_weights_gradient(ProgramBuilder& builder, std::size_t node) {
  const NodePlan& plan = builder.plan(node);
  if (!builder.stores_bf16() || plan.node->layer->groups > 1) return false;
  const ChannelsLastConvolution shape = channels_last(builder, node);
  if (!AmxWeightsGradient::suits(shape)) return false;
  const auto kernel = std::make_shared<const AmxWeightsGradient>(shape);
  const auto threads = static_cast<std::size_t>(omp_get_max_threads());  // a program's are fixed
  const auto bytes = static_cast<dnnl::memory::dim>(kernel->scratch_bytes(threads));
  const dnnl::memory source =
      builder.read_as(plan.inputs[0], builder.channels_last(plan.inputs[0]));
  const dnnl::memory result = builder.gradient_as(node, builder.channels_last(node));
  const dnnl::memory scratch = builder.scratchpad({{bytes}, dnnl::memory::data_type::u8, Tag::x});
  const Desc stored = builder.stored(plan.node->variables[0]);
  const VariableGradients parts(builder, node,
                                {dims_of(stored), dnnl::memory::data_type::f32, Tag::OIhw16i16o});
  builder.then(
      [=, weights = parts.weights.memory, bias = parts.bias.memory](const TaskContext&) {
        kernel->run({.source = halves_of(source),
                     .result = halves_of(result),
                     .weights = floats_of(weights),
                     .bias = bias ? floats_of(bias) : nullptr,
                     .scratch = scratch.get_data_handle()},
                    threads);
      },
      "own amx");
  parts.finish(builder);
  return true;
}

}  // namespace convoy::cpu
