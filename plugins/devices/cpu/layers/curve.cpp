#include "plugins/devices/cpu/layers/layers.hpp"

#include "plugins/devices/cpu/layers/primitive_attributes.hpp"
#include "plugins/devices/cpu/programs/program_builder.hpp"

namespace convoy::cpu {
namespace {

struct Function {
  dnnl::algorithm algorithm;
  float alpha;
};

Function function_of(const ProgramBuilder& builder, std::size_t node) {
  switch (builder.plan(node).node->layer->kind) {
    case CONVOY_LAYER_SIGMOID:
      return {dnnl::algorithm::eltwise_logistic, 0.0f};
    case CONVOY_LAYER_TANH:
      return {dnnl::algorithm::eltwise_tanh, 0.0f};
    case CONVOY_LAYER_SILU:
      return {dnnl::algorithm::eltwise_swish, 1.0f};
    default:
      return {dnnl::algorithm::eltwise_gelu_erf, 0.0f};
  }
}

}  // namespace

void Curve::build_forward(ProgramBuilder& builder, std::size_t node) {
  const std::size_t input = builder.plan(node).inputs[0];
  const Function function = function_of(builder, node);
  const Desc desc = builder.desc(input);
  forward_ =
      describe<dnnl::eltwise_forward>(builder.engine(), shared_scratchpad(), builder.forward_kind(),
                                      function.algorithm, desc, desc, function.alpha, 0.0f);
  builder.then(dnnl::eltwise_forward(forward_),
               {{DNNL_ARG_SRC, builder.read(input)},
                {DNNL_ARG_DST, builder.define(node, desc)},
                {DNNL_ARG_SCRATCHPAD, builder.scratchpad(forward_.scratchpad_desc())}});
}

void Curve::build_backward(ProgramBuilder& builder, std::size_t node) {
  const std::size_t input = builder.plan(node).inputs[0];
  if (!builder.plan(input).needs_gradient) return;
  const Function function = function_of(builder, node);
  const Desc desc = builder.desc(input);
  const auto description = describe_gradient<dnnl::eltwise_backward>(
      builder.engine(), shared_scratchpad(), forward_, function.algorithm, desc, desc, desc,
      function.alpha, 0.0f);
  const dnnl::memory gradient = builder.gradient(node);
  const GradientPart part = builder.begin_gradient(input, desc);
  builder.then(dnnl::eltwise_backward(description),
               {{DNNL_ARG_SRC, builder.read(input)},
                {DNNL_ARG_DIFF_DST, gradient},
                {DNNL_ARG_DIFF_SRC, part.memory},
                {DNNL_ARG_SCRATCHPAD, builder.scratchpad(description.scratchpad_desc())}});
  builder.finish_gradient(input, part);
}

}  // namespace convoy::cpu
