#include "plugins/devices/cpu/layers/layers.hpp"

#include "plugins/devices/cpu/layers/primitive_attributes.hpp"
#include "plugins/devices/cpu/programs/program_builder.hpp"

namespace convoy::cpu {
namespace {

struct Constants {
  dnnl::memory::dim channels;
  float alpha, beta, offset;
};

// oneDNN divides alpha by the number of channels; convoy does not.
Constants constants_of(const convoy_layer& layer) {
  const dnnl::memory::dim channels = 2 * dnnl::memory::dim{layer.radius} + 1;
  return {channels, static_cast<float>(layer.alpha * static_cast<double>(channels)),
          static_cast<float>(layer.beta), static_cast<float>(layer.offset)};
}

// The library is fast only on f32: bf16 activations are converted to f32 and back.
Desc computed(const ProgramBuilder& builder, std::size_t node) {
  if (!builder.stores_bf16()) return builder.desc(node);
  return {builder.dims(node), dnnl::memory::data_type::f32, dnnl::memory::format_tag::nChw16c};
}

}  // namespace

void LocalResponseNorm::build_forward(ProgramBuilder& builder, std::size_t node) {
  const NodePlan& plan = builder.plan(node);
  const std::size_t input = plan.inputs[0];
  const Constants constants = constants_of(*plan.node->layer);
  const Desc source = computed(builder, input);
  forward_ = describe<dnnl::lrn_forward>(
      builder.engine(), shared_scratchpad(), builder.forward_kind(),
      dnnl::algorithm::lrn_across_channels, source, source, constants.channels, constants.alpha,
      constants.beta, constants.offset);
  const dnnl::memory result = builder.stores_bf16() ? builder.temporary(forward_.dst_desc())
                                                    : builder.define(node, forward_.dst_desc());
  std::unordered_map<int, dnnl::memory> arguments = {
      {DNNL_ARG_SRC, builder.read_as(input, forward_.src_desc())},
      {DNNL_ARG_DST, result},
      {DNNL_ARG_SCRATCHPAD, builder.scratchpad(forward_.scratchpad_desc())}};
  if (forward_.workspace_desc().get_size() > 0) {
    record_ = builder.keep(forward_.workspace_desc());
    arguments[DNNL_ARG_WORKSPACE] = builder.kept(forward_.workspace_desc(), record_);
  }
  builder.then(dnnl::lrn_forward(forward_), arguments);
  if (builder.stores_bf16()) {
    builder.reorder(result, builder.define(node, builder.channels_last(node)));
  }
}

void LocalResponseNorm::build_backward(ProgramBuilder& builder, std::size_t node) {
  const NodePlan& plan = builder.plan(node);
  const std::size_t input = plan.inputs[0];
  if (!builder.plan(input).needs_gradient) return;
  const Constants constants = constants_of(*plan.node->layer);
  const auto description = describe_gradient<dnnl::lrn_backward>(
      builder.engine(), shared_scratchpad(), forward_, dnnl::algorithm::lrn_across_channels,
      forward_.dst_desc(), forward_.dst_desc(), forward_.src_desc(), constants.channels,
      constants.alpha, constants.beta, constants.offset);
  const dnnl::memory gradient = builder.gradient_as(node, description.diff_dst_desc());
  const GradientPart part = builder.begin_gradient(input, description.diff_src_desc());
  std::unordered_map<int, dnnl::memory> arguments = {
      {DNNL_ARG_SRC, builder.read_as(input, forward_.src_desc())},
      {DNNL_ARG_DIFF_DST, gradient},
      {DNNL_ARG_DIFF_SRC, part.memory},
      {DNNL_ARG_SCRATCHPAD, builder.scratchpad(description.scratchpad_desc())}};
  if (forward_.workspace_desc().get_size() > 0) {
    arguments[DNNL_ARG_WORKSPACE] = builder.kept(forward_.workspace_desc(), record_);
  }
  builder.then(dnnl::lrn_backward(description), arguments);
  builder.finish_gradient(input, part);
}

}  // namespace convoy::cpu
