// The part of Convolution that uses the plug-in's own Winograd kernels.

#include "plugins/devices/cpu/lanes/team.hpp"
#include "plugins/devices/cpu/layers/channel_block.hpp"
#include "plugins/devices/cpu/layers/convolution.hpp"
#include "plugins/devices/cpu/programs/program_builder.hpp"

namespace convoy::cpu {
namespace {

using Tag = dnnl::memory::format_tag;

const char* implementation(const WinogradShape& shape) {
  return shape.taps == 3 ? "winograd F(4x4, 3x3)" : "winograd F(2x2, 5x5)";
}

dnnl::memory scratch_memory(ProgramBuilder& builder, std::size_t floats) {
  return builder.scratchpad(
      {{static_cast<dnnl::memory::dim>(floats)}, dnnl::memory::data_type::f32, Tag::a});
}

}  // namespace

// Supports floats in blocks of channels, or bf16 with channels last and weights in blocks.
std::size_t Convolution::winograd_block() const {
  const Desc source = forward_.src_desc();
  const Desc result = forward_.dst_desc();
  if (!has_channels_last(source) || !has_channels_last(result)) {
    return common_channel_block(source, winograd_weights_, result);
  }
  return winograd_weights_ == winograd_bf16_weights(dims_of(winograd_weights_)) ? kWinogradPanel
                                                                                : 0;
}

bool Convolution::stored_for_winograd(const ProgramBuilder& builder, std::size_t node) {
  const convoy_node& here = *builder.plan(node).node;
  const convoy_node& input = *builder.plan(builder.plan(node).inputs[0]).node;
  const Desc source = forward_.src_desc();
  const Desc result = forward_.dst_desc();
  winograd_.bf16 = builder.stores_bf16();
  winograd_weights_ = winograd_.bf16 ? builder.stored(builder.plan(node).node->variables[0])
                                     : forward_.weights_desc();
  winograd_.block = winograd_block();
  if (winograd_.block == 0) return false;
  winograd_.batch = builder.compilation().batch;
  winograd_.in_channels = padded_size(source, 1);
  winograd_.in_height = input.height;
  winograd_.in_width = input.width;
  winograd_.out_channels = padded_size(result, 1);
  winograd_.out_height = here.height;
  winograd_.out_width = here.width;
  winograd_.pad_top = here.pad_top;
  winograd_.pad_left = here.pad_left;
  winograd_.taps = here.layer->kernel_height;
  return true;
}

void Convolution::winograd_forward(ProgramBuilder& builder, std::size_t node) {
  const NodePlan& plan = builder.plan(node);
  const std::size_t threads = team_size();
  const dnnl::memory source = builder.read_as(plan.inputs[0], forward_.src_desc());
  const dnnl::memory weights = builder.weights(plan.node->variables[0], winograd_weights_);
  const dnnl::memory result = builder.define(node, forward_.dst_desc());
  const dnnl::memory scratch =
      scratch_memory(builder, winograd_forward_scratch(winograd_, threads));
  WinogradResultOptions options;
  options.relu = plan.fused_relu != kNoNode;
  if (options.relu) options.limit = static_cast<float>(builder.relu_limit(plan.fused_relu));
  dnnl::memory bias;
  if (shapes_->has_bias()) {
    bias = builder.variable(plan.node->variables[1], shapes_->bias());
    options.bias_count = plan.node->channels;
  }
  builder.then(
      [=, shape = winograd_](const TaskContext&) {
        WinogradResultOptions now = options;
        if (bias) now.bias = floats_of(bias);
        cpu::winograd_forward(shape, source.get_data_handle(), floats_of(weights), now,
                              result.get_data_handle(), floats_of(scratch), threads);
      },
      implementation(winograd_));
}

void Convolution::winograd_backward_weights(ProgramBuilder& builder, std::size_t node) {
  const NodePlan& plan = builder.plan(node);
  const std::uint32_t kernel = plan.node->variables[0];
  const std::size_t threads = team_size();
  const dnnl::memory source = builder.read_as(plan.inputs[0], forward_.src_desc());
  const dnnl::memory gradient = builder.gradient_as(node, forward_.dst_desc());
  const dnnl::memory scratch =
      scratch_memory(builder, winograd_backward_weights_scratch(winograd_, threads));
  const GradientPart part = builder.begin_variable_gradient(kernel, winograd_weights_);
  builder.then(
      [=, shape = winograd_](const TaskContext&) {
        cpu::winograd_backward_weights(shape, source.get_data_handle(), gradient.get_data_handle(),
                                       floats_of(part.memory), floats_of(scratch), threads);
      },
      implementation(winograd_));
  builder.finish_variable_gradient(kernel, part);
  if (!shapes_->has_bias()) return;
  const std::uint32_t bias = plan.node->variables[1];
  const GradientPart sums = builder.begin_variable_gradient(bias, shapes_->bias());
  builder.then([=, shape = winograd_, count = plan.node->channels](const TaskContext&) {
    winograd_backward_bias(shape, gradient.get_data_handle(), floats_of(sums.memory), count);
  });
  builder.finish_variable_gradient(bias, sums);
}

void Convolution::winograd_backward_data(ProgramBuilder& builder, std::size_t node) {
  const NodePlan& plan = builder.plan(node);
  const std::size_t input = plan.inputs[0];
  const std::size_t threads = team_size();
  const dnnl::memory weights = builder.weights(plan.node->variables[0], winograd_weights_);
  const dnnl::memory gradient = builder.gradient_as(node, forward_.dst_desc());
  const dnnl::memory scratch =
      scratch_memory(builder, winograd_backward_data_scratch(winograd_, threads));
  const GradientPart part = builder.begin_gradient(input, forward_.src_desc());
  builder.then(
      [=, shape = winograd_](const TaskContext&) {
        cpu::winograd_backward_data(shape, gradient.get_data_handle(), floats_of(weights),
                                    part.memory.get_data_handle(), floats_of(scratch), threads);
      },
      implementation(winograd_));
  builder.finish_gradient(input, part);
}

}  // namespace convoy::cpu
