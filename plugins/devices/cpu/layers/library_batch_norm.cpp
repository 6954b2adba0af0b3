#include "plugins/devices/cpu/layers/library_batch_norm.hpp"

#include "plugins/devices/cpu/layers/primitive_attributes.hpp"

namespace convoy::cpu {
namespace {

using Flags = dnnl::normalization_flags;

Flags flags_of(const NodePlan& plan, bool relu, bool inference) {
  Flags flags = inference ? Flags::use_global_stats : Flags::none;
  if (plan.node->variables[0] != CONVOY_NONE) flags |= Flags::use_scale;
  if (plan.node->variables[1] != CONVOY_NONE) flags |= Flags::use_shift;
  if (relu) flags |= Flags::fuse_norm_relu;
  return flags;
}

// Gamma and beta, or gamma alone.
void add_variables(ProgramBuilder& builder, const NodePlan& plan, int count,
                   std::unordered_map<int, dnnl::memory>& arguments) {
  constexpr int kArguments[2] = {DNNL_ARG_SCALE, DNNL_ARG_SHIFT};
  for (int i = 0; i < count; ++i) {
    const std::uint32_t index = plan.node->variables[i];
    if (index != CONVOY_NONE)
      arguments[kArguments[i]] = builder.variable(index, channel_vector(plan));
  }
}

bool has(Flags flags, Flags flag) {
  return (flags & flag) != Flags::none;
}

}  // namespace

void LibraryBatchNorm::forward(ProgramBuilder& builder, std::size_t node, const dnnl::memory& mean,
                               const dnnl::memory& variance) {
  const NodePlan& plan = builder.plan(node);
  const Desc desc = builder.desc(plan.inputs[0]);
  const bool relu = plan.fused_relu != kNoNode && builder.relu_limit(plan.fused_relu) <= 0.0;
  flags_ = flags_of(plan, relu, builder.inference());
  forward_ = describe<dnnl::batch_normalization_forward>(
      builder.engine(), shared_scratchpad(), builder.forward_kind(), desc, desc,
      static_cast<float>(plan.node->layer->epsilon), flags_);
  std::unordered_map<int, dnnl::memory> arguments = {
      {DNNL_ARG_SRC, builder.read(plan.inputs[0])},
      {DNNL_ARG_DST, builder.define(node, desc)},
      {DNNL_ARG_MEAN, mean},
      {DNNL_ARG_VARIANCE, variance},
      {DNNL_ARG_SCRATCHPAD, builder.scratchpad(forward_.scratchpad_desc())}};
  add_variables(builder, plan, 2, arguments);
  if (has(flags_, Flags::fuse_norm_relu) && !builder.inference()) {
    record_ = builder.keep(forward_.workspace_desc());
    arguments[DNNL_ARG_WORKSPACE] = builder.kept(forward_.workspace_desc(), record_);
  }
  builder.then(dnnl::batch_normalization_forward(forward_), arguments);
}

void LibraryBatchNorm::backward(ProgramBuilder& builder, std::size_t node, const dnnl::memory& mean,
                                const dnnl::memory& variance, const dnnl::memory& write,
                                const GradientPart (&parts)[2]) {
  const NodePlan& plan = builder.plan(node);
  const Desc desc = builder.desc(plan.inputs[0]);
  const auto description = describe_gradient<dnnl::batch_normalization_backward>(
      builder.engine(), shared_scratchpad(), forward_, dnnl::prop_kind::backward, desc, desc, desc,
      static_cast<float>(plan.node->layer->epsilon), flags_);
  std::unordered_map<int, dnnl::memory> arguments = {
      {DNNL_ARG_SRC, builder.read(plan.inputs[0])},
      {DNNL_ARG_DIFF_DST, builder.gradient(node)},
      {DNNL_ARG_DIFF_SRC, write},
      {DNNL_ARG_MEAN, mean},
      {DNNL_ARG_VARIANCE, variance},
      {DNNL_ARG_SCRATCHPAD, builder.scratchpad(description.scratchpad_desc())}};
  add_variables(builder, plan, kGradientReadsShift ? 2 : 1, arguments);
  constexpr int kArguments[2] = {DNNL_ARG_DIFF_SCALE, DNNL_ARG_DIFF_SHIFT};
  for (int i = 0; i < 2; ++i) {
    if (plan.node->variables[i] != CONVOY_NONE) arguments[kArguments[i]] = parts[i].memory;
  }
  if (has(flags_, Flags::fuse_norm_relu)) {
    arguments[DNNL_ARG_WORKSPACE] = builder.kept(forward_.workspace_desc(), record_);
  }
  builder.then(dnnl::batch_normalization_backward(description), arguments);
}

}  // namespace convoy::cpu
