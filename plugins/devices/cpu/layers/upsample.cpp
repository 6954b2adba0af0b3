#include "plugins/devices/cpu/layers/layers.hpp"

#include "plugins/devices/cpu/layers/activation_cells.hpp"
#include "plugins/devices/cpu/layers/primitive_attributes.hpp"

namespace convoy::cpu {
namespace {

dnnl::algorithm algorithm_of(const NodePlan& plan) {
  return (plan.node->layer->flags & CONVOY_LAYER_INTERPOLATED) != 0
             ? dnnl::algorithm::resampling_linear
             : dnnl::algorithm::resampling_nearest;
}

}  // namespace

void Upsample::build_forward(ProgramBuilder& builder, std::size_t node) {
  const NodePlan& plan = builder.plan(node);
  const std::size_t input = plan.inputs[0];
  const Desc source = cell_desc(builder, input);
  const Desc result = in_form_of(source, builder.dims(node), type_of(source));
  forward_ = describe<dnnl::resampling_forward>(builder.engine(), shared_scratchpad(),
                                                builder.forward_kind(), algorithm_of(plan), source,
                                                result);
  builder.then(dnnl::resampling_forward(forward_),
               {{DNNL_ARG_SRC, builder.read_as(input, source)},
                {DNNL_ARG_DST, builder.define(node, result)},
                {DNNL_ARG_SCRATCHPAD, builder.scratchpad(forward_.scratchpad_desc())}});
}

void Upsample::build_backward(ProgramBuilder& builder, std::size_t node) {
  const NodePlan& plan = builder.plan(node);
  const std::size_t input = plan.inputs[0];
  if (!builder.plan(input).needs_gradient) return;
  const Desc source = cell_desc(builder, input);
  const auto description =
      describe_gradient<dnnl::resampling_backward>(builder.engine(), shared_scratchpad(), forward_,
                                                   algorithm_of(plan), source, forward_.dst_desc());
  const dnnl::memory gradient = builder.gradient_as(node, forward_.dst_desc());
  const GradientPart part = builder.begin_gradient(input, source);
  builder.then(dnnl::resampling_backward(description),
               {{DNNL_ARG_DIFF_DST, gradient},
                {DNNL_ARG_DIFF_SRC, part.memory},
                {DNNL_ARG_SCRATCHPAD, builder.scratchpad(description.scratchpad_desc())}});
  builder.finish_gradient(input, part);
}

}  // namespace convoy::cpu
