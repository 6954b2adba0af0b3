#include "plugins/devices/cpu/layers/convolution.hpp"

#include <optional>
#include <string>

#include "plugins/devices/cpu/layers/direct_weights_gradient.hpp"
#include "plugins/devices/cpu/layers/primitive_attributes.hpp"
#include "plugins/devices/cpu/layers/transposed_convolution.hpp"
#include "plugins/devices/cpu/layers/unseen_taps.hpp"
#include "plugins/devices/cpu/programs/program_builder.hpp"

namespace convoy::cpu {
namespace {

// Whether an implementation is fast. oneDNN accepts nearly any description, but the last resort is
// a reference implementation, which is slower by orders of magnitude than converting to the
// preferred layout.
template <typename PrimitiveDesc>
bool is_fast(const PrimitiveDesc& description) {
  const std::string name = description.impl_info_str();
  return name.find("jit") != std::string::npos || name.find("brg") != std::string::npos ||
         name.find("gemm") != std::string::npos;
}

// Returns the description made with the neighbours' layouts, unless only the one with free choice
// is fast.
template <typename Make>
auto fixed_or_free(const Make& make) {
  using PrimitiveDesc = decltype(make(true));
  std::optional<PrimitiveDesc> fixed;
  try {
    fixed = make(true);
  } catch (const dnnl::error&) {
    fixed.reset();
  }
  if (fixed && is_fast(*fixed)) return *fixed;
  PrimitiveDesc free = make(false);
  return fixed && !is_fast(free) ? *fixed : free;
}

}  // namespace

void Convolution::build_forward(ProgramBuilder& builder, std::size_t node) {
  const NodePlan& plan = builder.plan(node);
  const std::size_t input = plan.inputs[0];
  shapes_ = std::make_unique<ConvolutionShapes>(*plan.node, *builder.plan(input).node,
                                                builder.compilation().batch, builder.stores_bf16());
  algorithms_ =
      choose_convolution_algorithms(*plan.node, *builder.plan(input).node, builder.compilation());
  const bool relu = plan.fused_relu != kNoNode;
  forward_ =
      shapes_->forward(builder.forward_kind(), builder.engine(),
                       relu ? with_relu(builder.relu_limit(plan.fused_relu)) : shared_scratchpad());
  if (algorithms_.backward_weights == ConvolutionAlgorithm::kWinograd &&
      !stored_for_winograd(builder, node)) {
    algorithms_ = {};
  }
  if (algorithms_.forward == ConvolutionAlgorithm::kDepthwise &&
      !stored_for_depthwise(builder, node)) {
    algorithms_ = {};
  }
  switch (algorithms_.forward) {
    case ConvolutionAlgorithm::kWinograd:
      return winograd_forward(builder, node);
    case ConvolutionAlgorithm::kDepthwise:
      return depthwise_forward(builder, node);
    default:
      return library_forward(builder, node);
  }
}

void Convolution::library_forward(ProgramBuilder& builder, std::size_t node) {
  const NodePlan& plan = builder.plan(node);
  std::unordered_map<int, dnnl::memory> arguments = {
      {DNNL_ARG_SRC, builder.read_as(plan.inputs[0], forward_.src_desc())},
      {DNNL_ARG_WEIGHTS, builder.weights(plan.node->variables[0], forward_.weights_desc())},
      {DNNL_ARG_DST, builder.define(node, forward_.dst_desc())},
      {DNNL_ARG_SCRATCHPAD, builder.scratchpad(forward_.scratchpad_desc())}};
  if (shapes_->has_bias()) {
    arguments[DNNL_ARG_BIAS] = builder.variable(plan.node->variables[1], shapes_->bias());
  }
  builder.then(dnnl::convolution_forward(forward_), arguments);
}

void Convolution::build_backward(ProgramBuilder& builder, std::size_t node) {
  builder.part(CONVOY_PASS_BACKWARD_WEIGHTS);
  build_backward_weights(builder, node);
  if (!builder.plan(builder.plan(node).inputs[0]).needs_gradient) return;
  builder.part(CONVOY_PASS_BACKWARD_DATA);
  if (build_transposed_convolution(builder, node)) return;
  switch (algorithms_.backward_data) {
    case ConvolutionAlgorithm::kWinograd:
      return winograd_backward_data(builder, node);
    case ConvolutionAlgorithm::kDepthwise:
      return depthwise_backward_data(builder, node);
    default:
      return library_backward_data(builder, node);
  }
}

void Convolution::build_backward_weights(ProgramBuilder& builder, std::size_t node) {
  if (algorithms_.backward_weights == ConvolutionAlgorithm::kWinograd) {
    return winograd_backward_weights(builder, node);
  }
  if (algorithms_.backward_weights == ConvolutionAlgorithm::kDepthwise) {
    return depthwise_backward_weights(builder, node);
  }
  if (build_bf16_weights_gradient(builder, node)) return;
  const bool direct = algorithms_.backward_weights == ConvolutionAlgorithm::kDirect &&
                      build_direct_weights_gradient(builder, node, forward_);
  if (!direct) library_backward_weights(builder, node);
}

void Convolution::library_backward_weights(ProgramBuilder& builder, std::size_t node) {
  const NodePlan& plan = builder.plan(node);
  const std::uint32_t kernel = plan.node->variables[0];
  const std::uint32_t bias = plan.node->variables[1];
  const Desc stored = builder.stored(kernel);
  const Desc any_weights = shapes_->any_weights_gradient();
  const bool same_rank = dims_of(stored).size() == dims_of(any_weights).size();
  const auto description = fixed_or_free([&](bool fixed) {
    const Desc weights = fixed && same_rank ? stored : any_weights;
    return shapes_->backward_weights(forward_, builder.engine(),
                                     fixed ? forward_.src_desc() : shapes_->any_source(), weights,
                                     fixed ? forward_.dst_desc() : shapes_->any_result());
  });
  const GradientPart kernel_part =
      builder.begin_variable_gradient(kernel, description.diff_weights_desc());
  std::unordered_map<int, dnnl::memory> arguments = {
      {DNNL_ARG_SRC, builder.read_as(plan.inputs[0], description.src_desc())},
      {DNNL_ARG_DIFF_DST, builder.gradient_as(node, description.diff_dst_desc())},
      {DNNL_ARG_DIFF_WEIGHTS, kernel_part.memory},
      {DNNL_ARG_SCRATCHPAD, builder.scratchpad(description.scratchpad_desc())}};
  GradientPart bias_part;
  if (shapes_->has_bias()) {
    bias_part = builder.begin_variable_gradient(bias, shapes_->bias());
    arguments[DNNL_ARG_DIFF_BIAS] = bias_part.memory;
  }
  builder.then(dnnl::convolution_backward_weights(description), arguments);
  clear_unseen_taps(builder, node, kernel_part.memory);
  builder.finish_variable_gradient(kernel, kernel_part);
  if (shapes_->has_bias()) builder.finish_variable_gradient(bias, bias_part);
}

// oneDNN 2.6 does not write the gradients of such taps in bf16.
void Convolution::clear_unseen_taps(ProgramBuilder& builder, std::size_t node,
                                    const dnnl::memory& gradient) {
  const NodePlan& plan = builder.plan(node);
  std::vector<bool> taps = unseen_taps(*plan.node, *builder.plan(plan.inputs[0]).node);
  if (taps.empty()) return;
  const BlockedLayout layout = blocked_layout(gradient.get_desc()).value();
  builder.help([=](const TaskContext&) { clear_taps(taps, layout, floats_of(gradient)); },
               "own zeros");
}

void Convolution::library_backward_data(ProgramBuilder& builder, std::size_t node) {
  const NodePlan& plan = builder.plan(node);
  const std::size_t input = plan.inputs[0];
  const auto description = fixed_or_free([&](bool fixed) {
    return shapes_->backward_data(forward_, builder.engine(),
                                  fixed ? builder.desc(input) : shapes_->any_source(),
                                  fixed ? forward_.dst_desc() : shapes_->any_result());
  });
  const dnnl::memory weights = builder.weights(plan.node->variables[0], description.weights_desc());
  const dnnl::memory gradient = builder.gradient_as(node, description.diff_dst_desc());
  const GradientPart part = builder.begin_gradient(input, description.diff_src_desc());
  builder.then(dnnl::convolution_backward_data(description),
               {{DNNL_ARG_DIFF_DST, gradient},
                {DNNL_ARG_WEIGHTS, weights},
                {DNNL_ARG_DIFF_SRC, part.memory},
                {DNNL_ARG_SCRATCHPAD, builder.scratchpad(description.scratchpad_desc())}});
  builder.finish_gradient(input, part);
}

}  // namespace convoy::cpu
