#include "plugins/devices/cpu/layers/batch_norm.hpp"

#include <algorithm>
#include <stdexcept>

#include "plugins/devices/cpu/fused_batch_norm.hpp"

namespace convoy::cpu {
namespace {

Desc with_layout(const Desc& desc, dnnl::memory::format_tag tag) {
  return {desc.dims(), dnnl::memory::data_type::f32, tag};
}

// A block of 0 means that the layout is another one.
BlockedShape shape_of(const Desc& desc) {
  const dnnl::memory::dims dims = desc.dims();
  BlockedShape shape{static_cast<std::size_t>(dims[0]), static_cast<std::size_t>(dims[1]),
                     static_cast<std::size_t>(dims[2] * dims[3]), 0};
  if (desc == with_layout(desc, dnnl::memory::format_tag::nChw8c)) shape.block = 8;
  if (desc == with_layout(desc, dnnl::memory::format_tag::nChw16c)) shape.block = 16;
  return shape;
}

dnnl::memory scratch_for(ProgramBuilder& builder, const BlockedShape& shape) {
  const auto floats = static_cast<dnnl::memory::dim>(batch_norm_scratch(shape) * 2);
  return builder.temporary({{floats}, dnnl::memory::data_type::f32, dnnl::memory::format_tag::x});
}

double* doubles_of(const dnnl::memory& memory) {
  return static_cast<double*>(memory.get_data_handle());
}

// Empty memory stands for what a batch norm does not have.
float* floats_or_null(const dnnl::memory& memory) {
  return memory ? floats_of(memory) : nullptr;
}

dnnl::memory variable_or_none(ProgramBuilder& builder, const NodePlan& plan, std::size_t which) {
  const std::uint32_t index = plan.node->variables[which];
  return index == CONVOY_NONE ? dnnl::memory() : builder.variable(index, channel_vector(plan));
}

}  // namespace

void BatchNorm::build_forward(ProgramBuilder& builder, std::size_t node) {
  const NodePlan& plan = builder.plan(node);
  const Desc statistics = channel_vector(plan);
  mean_ = builder.keep(statistics);
  variance_ = builder.keep(statistics);
  const dnnl::memory mean = builder.kept(statistics, mean_);
  const dnnl::memory variance = builder.kept(statistics, variance_);
  if (builder.inference()) load_statistics(builder, node, mean, variance);
  own_ = shape_of(builder.desc(plan.inputs[0])).block != 0;
  if (own_) {
    normalise(builder, node, mean, variance);
  } else {
    library_.forward(builder, node, mean, variance);
  }
  if (!builder.inference()) update_statistics(builder, node, mean, variance);
}

void BatchNorm::normalise(ProgramBuilder& builder, std::size_t node, const dnnl::memory& mean,
                          const dnnl::memory& variance) {
  const NodePlan& plan = builder.plan(node);
  const Desc desc = builder.desc(plan.inputs[0]);
  const BlockedShape shape = shape_of(desc);
  const bool relu = plan.fused_relu != kNoNode;
  const double limit = relu ? builder.relu_limit(plan.fused_relu) : 0.0;
  builder.then([shape, relu, limit, mean, variance, given = builder.inference(),
                epsilon = plan.node->layer->epsilon, read = builder.read(plan.inputs[0]),
                write = builder.define(node, desc), gamma = variable_or_none(builder, plan, 0),
                beta = variable_or_none(builder, plan, 1),
                scratch = scratch_for(builder, shape)](const TaskContext&) {
    batch_norm_forward(
        shape,
        {floats_of(read), nullptr, floats_of(write), floats_or_null(gamma), floats_or_null(beta),
         floats_of(mean), floats_of(variance), given, epsilon, relu, limit},
        doubles_of(scratch));
  });
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

// The input's gradient is written even where nobody wants it: it comes with that of the variables.
GradientPart BatchNorm::begin_input_gradient(ProgramBuilder& builder, std::size_t node) {
  const std::size_t input = builder.plan(node).inputs[0];
  if (!builder.plan(input).needs_gradient) return {builder.temporary(builder.desc(input)), true};
  return own_ ? builder.begin_gradient_over(input)
              : builder.begin_gradient(input, builder.desc(input));
}

void BatchNorm::build_backward(ProgramBuilder& builder, std::size_t node) {
  const NodePlan& plan = builder.plan(node);
  const std::size_t input = plan.inputs[0];
  const GradientPart part = begin_input_gradient(builder, node);
  GradientPart parts[2];
  for (int i = 0; i < 2; ++i) {
    const std::uint32_t variable = plan.node->variables[i];
    if (variable == CONVOY_NONE) continue;
    parts[i] = builder.begin_variable_gradient(variable, channel_vector(plan));
  }
  if (own_) {
    differentiate(builder, node, part.memory, parts);
  } else {
    library_.backward(builder, node, builder.kept(channel_vector(plan), mean_),
                      builder.kept(channel_vector(plan), variance_), part.memory, parts);
  }
  for (int i = 0; i < 2; ++i) {
    const std::uint32_t variable = plan.node->variables[i];
    if (variable != CONVOY_NONE) builder.finish_variable_gradient(variable, parts[i]);
  }
  if (builder.plan(input).needs_gradient) builder.finish_gradient(input, part);
}

void BatchNorm::differentiate(ProgramBuilder& builder, std::size_t node, const dnnl::memory& write,
                              const GradientPart (&parts)[2]) {
  const NodePlan& plan = builder.plan(node);
  const BlockedShape shape = shape_of(builder.desc(plan.inputs[0]));
  const bool relu = plan.fused_relu != kNoNode;
  builder.then(
      [shape, write, relu, limit = relu ? builder.relu_limit(plan.fused_relu) : 0.0,
       epsilon = plan.node->layer->epsilon, read = builder.read(plan.inputs[0]),
       gradient = builder.gradient(node), beta = variable_or_none(builder, plan, 1),
       gamma = variable_or_none(builder, plan, 0), mean = builder.kept(channel_vector(plan), mean_),
       variance = builder.kept(channel_vector(plan), variance_), gamma_gradient = parts[0].memory,
       beta_gradient = parts[1].memory, scratch = scratch_for(builder, shape)](const TaskContext&) {
        batch_norm_backward(
            shape,
            {floats_of(read), floats_of(gradient), floats_of(write), floats_or_null(gamma),
             floats_or_null(beta), floats_of(mean), floats_of(variance),
             floats_or_null(gamma_gradient), floats_or_null(beta_gradient), epsilon, relu, limit},
            doubles_of(scratch));
      });
}

}  // namespace convoy::cpu
