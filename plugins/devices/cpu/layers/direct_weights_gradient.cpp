#include "plugins/devices/cpu/layers/direct_weights_gradient.hpp"

#include <omp.h>

#include <memory>

#include "plugins/devices/cpu/convolutions/bf16_row_gradient.hpp"
#include "plugins/devices/cpu/convolutions/weights_gradient.hpp"
#include "plugins/devices/cpu/layers/channel_block.hpp"
#include "plugins/devices/cpu/layers/layer_windows.hpp"
#include "plugins/devices/cpu/programs/program_builder.hpp"

namespace convoy::cpu {
namespace {

using Tag = dnnl::memory::format_tag;

// The shape with the stored numbers of channels, `block` of them consecutive (0: all).
ConvolutionShape shape_of(const ProgramBuilder& builder, std::size_t node, std::size_t in_channels,
                          std::size_t out_channels, std::size_t block) {
  const NodePlan& plan = builder.plan(node);
  const convoy_node& input = *builder.plan(plan.inputs[0]).node;
  return {windows_of(*plan.node, input), builder.compilation().batch, in_channels, out_channels,
          block};
}

Desc vector_of(std::size_t count) {
  return {{static_cast<dnnl::memory::dim>(count)}, dnnl::memory::data_type::f32, Tag::x};
}

// The memory for the gradients of a convolution's weights and bias; empty if there is no bias.
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

// For activations with channels last; `order` is that of the gradient.
template <typename Gradient>
void add_bf16_gradient(ProgramBuilder& builder, std::size_t node, const ConvolutionShape& shape,
                       Tag order) {
  const NodePlan& plan = builder.plan(node);
  const auto kernel = std::make_shared<const Gradient>(shape);
  // the team of a program is fixed
  const auto threads = static_cast<std::size_t>(omp_get_max_threads());
  const auto bytes = static_cast<dnnl::memory::dim>(kernel->scratch_bytes(threads));
  const dnnl::memory source =
      builder.read_as(plan.inputs[0], builder.channels_last(plan.inputs[0]));
  const dnnl::memory result = builder.gradient_as(node, builder.channels_last(node));
  const dnnl::memory scratch = builder.scratchpad({{bytes}, dnnl::memory::data_type::u8, Tag::x});
  const Desc stored = builder.stored(plan.node->variables[0]);
  const VariableGradients parts(builder, node,
                                {dims_of(stored), dnnl::memory::data_type::f32, order});
  builder.then(
      [=, weights = parts.weights.memory, bias = parts.bias.memory](const TaskContext&) {
        kernel->run({.source = halves_of(source),
                     .result = halves_of(result),
                     .weights = floats_of(weights),
                     .bias = bias ? floats_of(bias) : nullptr,
                     .scratch = scratch.get_data_handle()},
                    threads);
      },
      "own bf16");
  parts.finish(builder);
}

}  // namespace

bool suits_direct_weights_gradient(const convoy_node& node, const convoy_node& input,
                                   const convoy_compilation& compilation) {
  constexpr std::uint32_t kLeastChannels = 8;  // fewer are not stored in blocks
  const convoy_layer& layer = *node.layer;
  return compilation.dtype == CONVOY_F32 && layer.groups <= 1 && !is_dilated(layer) &&
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
      shape_of(builder, node, padded_size(forward.src_desc(), 1),
               padded_size(forward.dst_desc(), 1), block));
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

bool build_bf16_weights_gradient(ProgramBuilder& builder, std::size_t node) {
  const NodePlan& plan = builder.plan(node);
  const convoy_layer& layer = *plan.node->layer;
  if (!builder.stores_bf16() || layer.groups > 1 || is_dilated(layer)) return false;
  const ConvolutionShape shape =
      shape_of(builder, node, builder.plan(plan.inputs[0]).node->channels, plan.node->channels, 0);
  if (Bf16WeightsGradient::pays(shape)) {
    add_bf16_gradient<Bf16WeightsGradient>(builder, node, shape, Tag::OIhw16i16o);
  } else if (Bf16RowGradient::pays(shape)) {
    add_bf16_gradient<Bf16RowGradient>(builder, node, shape, Tag::oihw);
  } else {
    return false;
  }
  return true;
}

}  // namespace convoy::cpu
