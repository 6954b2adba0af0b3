// The part of Convolution that uses the plug-in's own kernels for depthwise convolutions.
#include <omp.h>

#include "plugins/devices/cpu/convolutions/depthwise.hpp"
#include "plugins/devices/cpu/layers/channel_block.hpp"
#include "plugins/devices/cpu/layers/convolution.hpp"
#include "plugins/devices/cpu/layers/depthwise_layout.hpp"
#include "plugins/devices/cpu/layers/layer_windows.hpp"
#include "plugins/devices/cpu/planes.hpp"
#include "plugins/devices/cpu/programs/program_builder.hpp"

namespace convoy::cpu {
namespace {

constexpr const char* kDepthwiseName = "own depthwise";

// The planes of an activation or of its gradient, for the task that is being built. If they are
// stored as bf16, it has memory for their conversion.
class ActivationPlanes {
 public:
  ActivationPlanes(ProgramBuilder& builder, const dnnl::memory& memory, std::size_t block)
      : memory_(memory) {
    const dnnl::memory::dims dims = dims_of(memory.get_desc());
    image_ = {static_cast<std::size_t>(dims[2] * dims[3]), static_cast<std::size_t>(dims[1])};
    plane_floats_ = image_.cells * block;
    if (!is_bf16(memory.get_desc())) return;
    const std::size_t floats =
        Planes::scratch_floats(image_, static_cast<std::size_t>(omp_get_max_threads()));
    scratch_ = builder.temporary({{static_cast<dnnl::memory::dim>(floats)},
                                  dnnl::memory::data_type::f32,
                                  dnnl::memory::format_tag::a});
  }

  // Called when the task runs.
  Planes planes() const {
    return scratch_ ? Planes(halves_of(memory_), image_, floats_of(scratch_))
                    : Planes(floats_of(memory_), plane_floats_);
  }

 private:
  dnnl::memory memory_;
  dnnl::memory scratch_;
  ChannelsLast image_{};
  std::size_t plane_floats_ = 0;
};

}  // namespace

bool Convolution::stored_for_depthwise(const ProgramBuilder& builder, std::size_t node) {
  const convoy_node& here = *builder.plan(node).node;
  const convoy_node& input = *builder.plan(builder.plan(node).inputs[0]).node;
  const std::size_t block = depthwise_block(forward_);
  if (block == 0) return false;
  depthwise_ = std::make_shared<const DepthwiseConvolution>(
      windows_of(here, input), builder.compilation().batch, here.channels, block);
  depthwise_weights_ = depthwise_weights(here, block);
  return true;
}

void Convolution::depthwise_forward(ProgramBuilder& builder, std::size_t node) {
  const NodePlan& plan = builder.plan(node);
  const dnnl::memory source = builder.read_as(plan.inputs[0], forward_.src_desc());
  const dnnl::memory weights = builder.weights(plan.node->variables[0], depthwise_weights_);
  const dnnl::memory result = builder.define(node, forward_.dst_desc());
  const bool relu = plan.fused_relu != kNoNode;
  const double limit = relu ? builder.relu_limit(plan.fused_relu) : 0.0;
  dnnl::memory bias;
  if (shapes_->has_bias()) bias = builder.variable(plan.node->variables[1], shapes_->bias());
  const std::size_t block = plane_block(source.get_desc());
  const ActivationPlanes from(builder, source, block);
  const ActivationPlanes to(builder, result, block);
  builder.then(
      [=, convolution = depthwise_](const TaskContext&) {
        convolution->forward(from.planes(), floats_of(weights),
                             {bias ? floats_of(bias) : nullptr, relu, limit, to.planes()});
      },
      kDepthwiseName);
}

void Convolution::depthwise_backward_weights(ProgramBuilder& builder, std::size_t node) {
  const NodePlan& plan = builder.plan(node);
  const std::uint32_t kernel = plan.node->variables[0];
  const std::uint32_t bias = plan.node->variables[1];
  const dnnl::memory source = builder.read_as(plan.inputs[0], forward_.src_desc());
  const dnnl::memory gradient = builder.gradient_as(node, forward_.dst_desc());
  const dnnl::memory scratch =
      builder.scratchpad({{static_cast<dnnl::memory::dim>(depthwise_->scratch_floats())},
                          dnnl::memory::data_type::f32,
                          dnnl::memory::format_tag::a});
  const GradientPart part = builder.begin_variable_gradient(kernel, depthwise_weights_);
  GradientPart bias_part;
  if (shapes_->has_bias()) bias_part = builder.begin_variable_gradient(bias, shapes_->bias());
  const std::size_t block = plane_block(source.get_desc());
  const ActivationPlanes from(builder, source, block);
  const ActivationPlanes result(builder, gradient, block);
  builder.then(
      [=, convolution = depthwise_](const TaskContext&) {
        convolution->backward_weights(from.planes(), result.planes(), floats_of(part.memory),
                                      bias_part.memory ? floats_of(bias_part.memory) : nullptr,
                                      floats_of(scratch));
      },
      kDepthwiseName);
  builder.finish_variable_gradient(kernel, part);
  if (shapes_->has_bias()) builder.finish_variable_gradient(bias, bias_part);
}

void Convolution::depthwise_backward_data(ProgramBuilder& builder, std::size_t node) {
  const NodePlan& plan = builder.plan(node);
  const std::size_t input = plan.inputs[0];
  const dnnl::memory weights = builder.weights(plan.node->variables[0], depthwise_weights_);
  const dnnl::memory gradient = builder.gradient_as(node, forward_.dst_desc());
  const bool same = builder.desc(input) == forward_.src_desc();
  const GradientPart part = same ? builder.begin_gradient_addition(input)
                                 : builder.begin_gradient(input, forward_.src_desc());
  const std::size_t block = plane_block(gradient.get_desc());
  const ActivationPlanes from(builder, gradient, block);
  const ActivationPlanes to(builder, part.memory, block);
  builder.then(
      [=, convolution = depthwise_](const TaskContext&) {
        convolution->backward_data(from.planes(), floats_of(weights), to.planes(), part.adds);
      },
      kDepthwiseName);
  builder.finish_gradient(input, part);
}

}  // namespace convoy::cpu
