#include "plugins/devices/cpu/layers/batch_norm.hpp"

#include <algorithm>
#include <stdexcept>

#include "plugins/devices/cpu/layers/primitive_attributes.hpp"
#include "plugins/devices/cpu/program_builder.hpp"

namespace convoy::cpu {
namespace {

using Flags = dnnl::normalization_flags;

Flags flags_of(const NodePlan& plan, bool inference) {
  Flags flags = inference ? Flags::use_global_stats : Flags::none;
  if (plan.node->variables[0] != CONVOY_NONE) flags |= Flags::use_scale;
  if (plan.node->variables[1] != CONVOY_NONE) flags |= Flags::use_shift;
  if (plan.fused_relu != kNoNode) flags |= Flags::fuse_norm_relu;
  return flags;
}

Desc vector_of(const NodePlan& plan) {
  return {{plan.node->channels}, dnnl::memory::data_type::f32, dnnl::memory::format_tag::x};
}

// Gamma and beta. The backward pass takes beta too: oneDNN 2.6 counts it among the inputs.
void add_variables(ProgramBuilder& builder, const NodePlan& plan,
                   std::unordered_map<int, dnnl::memory>& arguments) {
  constexpr int kArguments[2] = {DNNL_ARG_SCALE, DNNL_ARG_SHIFT};
  for (int i = 0; i < 2; ++i) {
    const std::uint32_t index = plan.node->variables[i];
    if (index != CONVOY_NONE) arguments[kArguments[i]] = builder.variable(index, vector_of(plan));
  }
}

bool has(Flags flags, Flags flag) {
  return (flags & flag) != Flags::none;
}

}  // namespace

void BatchNorm::build_forward(ProgramBuilder& builder, std::size_t node) {
  const NodePlan& plan = builder.plan(node);
  const Desc desc = builder.desc(plan.inputs[0]);
  flags_ = flags_of(plan, builder.inference());
  forward_ = {{builder.forward_kind(), desc, static_cast<float>(plan.node->layer->epsilon), flags_},
              shared_scratchpad(),
              builder.engine()};
  const Desc statistics = vector_of(plan);
  mean_ = builder.keep(statistics);
  variance_ = builder.keep(statistics);
  const dnnl::memory mean = builder.kept(statistics, mean_);
  const dnnl::memory variance = builder.kept(statistics, variance_);
  if (builder.inference()) load_statistics(builder, node, mean, variance);
  std::unordered_map<int, dnnl::memory> arguments = {
      {DNNL_ARG_SRC, builder.read(plan.inputs[0])},
      {DNNL_ARG_DST, builder.define(node, desc)},
      {DNNL_ARG_MEAN, mean},
      {DNNL_ARG_VARIANCE, variance},
      {DNNL_ARG_SCRATCHPAD, builder.scratchpad(forward_.scratchpad_desc())}};
  add_variables(builder, plan, arguments);
  if (has(flags_, Flags::fuse_norm_relu) && !builder.inference()) {
    record_ = builder.keep(forward_.workspace_desc());
    arguments[DNNL_ARG_WORKSPACE] = builder.kept(forward_.workspace_desc(), record_);
  }
  builder.then(dnnl::batch_normalization_forward(forward_), arguments);
  if (!builder.inference()) update_statistics(builder, node, mean, variance);
}

// Copied to memory of its own because primitives may read whole registers beyond the last channel.
void BatchNorm::load_statistics(ProgramBuilder& builder, std::size_t node, const dnnl::memory& mean,
                                const dnnl::memory& variance) {
  const std::size_t channels = builder.plan(node).node->channels;
  const std::size_t first = builder.plan(node).node->state_first;
  builder.then([=](const TaskContext& context) {
    if (context.compute.state == nullptr) {
      throw std::invalid_argument("inference needs the moving statistics, and none were passed");
    }
    const float* state = context.compute.state + first;
    std::copy_n(state, channels, floats_of(mean));
    std::copy_n(state + channels, channels, floats_of(variance));
  });
}

void BatchNorm::update_statistics(ProgramBuilder& builder, std::size_t node,
                                  const dnnl::memory& mean, const dnnl::memory& variance) {
  const convoy_node& here = *builder.plan(node).node;
  const double elements =
      static_cast<double>(builder.compilation().batch) * here.height * here.width;
  const double unbiased = elements / std::max(elements - 1.0, 1.0);
  const double decay = here.layer->decay;
  const std::size_t channels = here.channels;
  const std::size_t first = here.state_first;
  builder.then([=](const TaskContext& context) {
    if (context.compute.state == nullptr) return;
    float* state = context.compute.state + first;
    const auto move = [decay](float& running, double value) {
      running = static_cast<float>(decay * static_cast<double>(running) + (1.0 - decay) * value);
    };
    for (std::size_t i = 0; i < channels; ++i) {
      move(state[i], static_cast<double>(floats_of(mean)[i]));
      move(state[channels + i], unbiased * static_cast<double>(floats_of(variance)[i]));
    }
  });
}

void BatchNorm::build_backward(ProgramBuilder& builder, std::size_t node) {
  const NodePlan& plan = builder.plan(node);
  const std::size_t input = plan.inputs[0];
  const Desc desc = builder.desc(input);
  const dnnl::batch_normalization_backward::primitive_desc description(
      {dnnl::prop_kind::backward, desc, desc, static_cast<float>(plan.node->layer->epsilon),
       flags_},
      shared_scratchpad(), builder.engine(), forward_);
  const dnnl::memory gradient = builder.gradient(node);
  const bool wanted = builder.plan(input).needs_gradient;
  const GradientPart part =
      wanted ? builder.begin_gradient(input, desc) : GradientPart{builder.temporary(desc), true};
  std::unordered_map<int, dnnl::memory> arguments = {
      {DNNL_ARG_SRC, builder.read(input)},
      {DNNL_ARG_DIFF_DST, gradient},
      {DNNL_ARG_DIFF_SRC, part.memory},
      {DNNL_ARG_MEAN, builder.kept(vector_of(plan), mean_)},
      {DNNL_ARG_VARIANCE, builder.kept(vector_of(plan), variance_)},
      {DNNL_ARG_SCRATCHPAD, builder.scratchpad(description.scratchpad_desc())}};
  add_variables(builder, plan, arguments);
  GradientPart parts[2];
  constexpr int kArguments[2] = {DNNL_ARG_DIFF_SCALE, DNNL_ARG_DIFF_SHIFT};
  for (int i = 0; i < 2; ++i) {
    if (plan.node->variables[i] == CONVOY_NONE) continue;
    parts[i] = builder.begin_variable_gradient(plan.node->variables[i], vector_of(plan));
    arguments[kArguments[i]] = parts[i].memory;
  }
  if (has(flags_, Flags::fuse_norm_relu)) {
    arguments[DNNL_ARG_WORKSPACE] = builder.kept(forward_.workspace_desc(), record_);
  }
  builder.then(dnnl::batch_normalization_backward(description), arguments);
  for (int i = 0; i < 2; ++i) {
    if (plan.node->variables[i] != CONVOY_NONE) {
      builder.finish_variable_gradient(plan.node->variables[i], parts[i]);
    }
  }
  if (wanted) builder.finish_gradient(input, part);
}

}  // namespace convoy::cpu
