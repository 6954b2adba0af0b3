#include "plugins/devices/cpu/layers/batch_norm.hpp"

#include <algorithm>
#include <stdexcept>

#include "plugins/devices/cpu/layers/channel_block.hpp"
#include "plugins/devices/cpu/layers/elementwise_tasks.hpp"
#include "plugins/devices/cpu/norms/fused_batch_norm.hpp"

namespace convoy::cpu {
namespace {

// A block of 0 means another layout.
BlockedShape shape_of(const Desc& desc) {
  const dnnl::memory::dims dims = dims_of(desc);
  return {static_cast<std::size_t>(dims[0]), static_cast<std::size_t>(dims[1]),
          static_cast<std::size_t>(dims[2] * dims[3]), channel_block(desc)};
}

// Returns the norm over bf16 activations; null if activations are f32.
std::shared_ptr<const ChannelsLastNorm> channels_last_norm(const Desc& desc) {
  if (!has_channels_last(desc)) return nullptr;
  const dnnl::memory::dims dims = dims_of(desc);
  return std::make_shared<const ChannelsLastNorm>(ChannelsLast{
      static_cast<std::size_t>(dims[0] * dims[2] * dims[3]), static_cast<std::size_t>(dims[1])});
}

dnnl::memory scratch_for(ProgramBuilder& builder, const ChannelsLastNorm& norm) {
  return builder.temporary({{static_cast<dnnl::memory::dim>(norm.scratch_bytes())},
                            dnnl::memory::data_type::u8,
                            dnnl::memory::format_tag::x});
}

dnnl::memory scratch_for(ProgramBuilder& builder, const BlockedShape& shape) {
  const auto floats = static_cast<dnnl::memory::dim>(batch_norm_scratch(shape) * 2);
  return builder.temporary({{floats}, dnnl::memory::data_type::f32, dnnl::memory::format_tag::x});
}

double* doubles_of(const dnnl::memory& memory) {
  return static_cast<double*>(memory.get_data_handle());
}

// Returns null for empty memory, which stands for a missing part of a batch norm.
template <typename Element>
Element* elements_or_null(const dnnl::memory& memory) {
  return memory ? static_cast<Element*>(memory.get_data_handle()) : nullptr;
}

dnnl::memory variable_or_none(ProgramBuilder& builder, const NodePlan& plan, std::size_t which) {
  const std::uint32_t index = plan.node->variables[which];
  return index == CONVOY_NONE ? dnnl::memory() : builder.variable(index, channel_vector(plan));
}

// The work behind the norm: a sum with another node's activation, a relu.
struct Tail {
  std::size_t addend = kNoNode;
  bool relu = false;
  double limit = 0.0;
};

Tail tail_of(const ProgramBuilder& builder, std::size_t node) {
  Tail tail;
  const std::size_t sum = builder.plan(node).fused_add;
  if (sum != kNoNode) {
    const std::vector<std::size_t>& inputs = builder.plan(sum).inputs;
    tail.addend = inputs[0] == node ? inputs[1] : inputs[0];
  }
  const std::size_t relu = builder.graph_plan().last_relu(node);
  tail.relu = relu != kNoNode;
  if (tail.relu) tail.limit = builder.relu_limit(relu);
  return tail;
}

// The memory of a pass. Its addresses are known only when the pass runs.
struct ForwardMemory {
  dnnl::memory read, addend, write, gamma, beta, mean, variance;
  bool statistics_given;
  double epsilon;
  Tail tail;

  template <typename Element>
  NormForward<Element> as() const {
    return {elements_or_null<Element>(read),
            elements_or_null<Element>(addend),
            elements_or_null<Element>(write),
            elements_or_null<float>(gamma),
            elements_or_null<float>(beta),
            floats_of(mean),
            floats_of(variance),
            statistics_given,
            epsilon,
            tail.relu,
            tail.limit};
  }
};

struct BackwardMemory {
  dnnl::memory read;
  GradientSum gradient;
  dnnl::memory output;
  GradientPart write;
  dnnl::memory gamma, beta, mean, variance, gamma_gradient, beta_gradient;
  double epsilon;
  Tail tail;

  template <typename Element>
  NormBackward<Element> as() const {
    return {elements_or_null<Element>(read),
            elements_or_null<Element>(gradient.total),
            elements_or_null<Element>(gradient.addend),
            elements_or_null<Element>(output),
            elements_or_null<Element>(write.memory),
            write.adds,
            elements_or_null<float>(gamma),
            elements_or_null<float>(beta),
            floats_of(mean),
            floats_of(variance),
            elements_or_null<float>(gamma_gradient),
            elements_or_null<float>(beta_gradient),
            epsilon,
            tail.relu,
            tail.limit};
  }
};

}  // namespace

void BatchNorm::build_forward(ProgramBuilder& builder, std::size_t node) {
  const NodePlan& plan = builder.plan(node);
  const Desc statistics = channel_vector(plan);
  mean_ = builder.keep(statistics);
  variance_ = builder.keep(statistics);
  const dnnl::memory mean = builder.kept(statistics, mean_);
  const dnnl::memory variance = builder.kept(statistics, variance_);
  if (builder.inference()) load_statistics(builder, node, mean, variance);
  bf16_ = channels_last_norm(builder.desc(plan.inputs[0]));
  own_ = bf16_ || shape_of(builder.desc(plan.inputs[0])).block != 0;
  if (own_) {
    normalise(builder, node, mean, variance);
  } else {
    library_.forward(builder, node, mean, variance);
    add_tail(builder, node);
  }
  if (!builder.inference()) update_statistics(builder, node, mean, variance);
}

void BatchNorm::normalise(ProgramBuilder& builder, std::size_t node, const dnnl::memory& mean,
                          const dnnl::memory& variance) {
  const NodePlan& plan = builder.plan(node);
  const Desc desc = builder.desc(plan.inputs[0]);
  ForwardMemory memory;
  memory.tail = tail_of(builder, node);
  if (memory.tail.addend != kNoNode) memory.addend = builder.read_as(memory.tail.addend, desc);
  memory.read = builder.read(plan.inputs[0]);
  memory.write = builder.define(node, desc);
  memory.gamma = variable_or_none(builder, plan, 0);
  memory.beta = variable_or_none(builder, plan, 1);
  memory.mean = mean;
  memory.variance = variance;
  memory.statistics_given = builder.inference();
  memory.epsilon = plan.node->layer->epsilon;
  if (bf16_) {
    return builder.then(
        [norm = bf16_, memory, scratch = scratch_for(builder, *bf16_)](const TaskContext&) {
          norm->forward(memory.as<Bf16>(), scratch.get_data_handle());
        });
  }
  const BlockedShape shape = shape_of(desc);
  builder.then([shape, memory, scratch = scratch_for(builder, shape)](const TaskContext&) {
    batch_norm_forward(shape, memory.as<float>(), doubles_of(scratch));
  });
}

// Adds what the library's batch norm cannot compute itself.
void BatchNorm::add_tail(ProgramBuilder& builder, std::size_t node) {
  const Tail tail = tail_of(builder, node);
  const dnnl::memory result = builder.read(node);
  if (tail.addend != kNoNode) {
    const dnnl::memory addend = builder.read_as(tail.addend, result.get_desc());
    builder.then(tail.relu ? add_relu_task(result, result, addend, tail.limit)
                           : add_task(result, result, addend));
  } else if (tail.limit > 0.0) {
    builder.then(relu_task(result, result, tail.limit));
  }
}

void BatchNorm::undo_tail(ProgramBuilder& builder, std::size_t node) {
  const Tail tail = tail_of(builder, node);
  const GradientSum gradient = builder.gradient_sum(node);
  const bool cuts = tail.relu && (tail.addend != kNoNode || tail.limit > 0.0);
  if (cuts) {
    const dnnl::memory result = builder.read(node);
    builder.then(gradient.addend
                     ? add_relu_backward_task(gradient.total, gradient.addend, result, tail.limit)
                     : relu_backward_task(gradient.total, result, tail.limit));
  } else if (gradient.addend) {
    builder.then(add_task(gradient.total, gradient.total, gradient.addend));
  }
}

// Copies the statistics to memory of their own, because primitives may read whole registers beyond
// the last channel.
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

// The input's gradient is always written, because it is computed together with that of the
// variables.
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
    differentiate(builder, node, part, parts);
  } else {
    undo_tail(builder, node);
    library_.backward(builder, node, builder.kept(channel_vector(plan), mean_),
                      builder.kept(channel_vector(plan), variance_), part.memory, parts);
  }
  for (int i = 0; i < 2; ++i) {
    const std::uint32_t variable = plan.node->variables[i];
    if (variable != CONVOY_NONE) builder.finish_variable_gradient(variable, parts[i]);
  }
  if (builder.plan(input).needs_gradient) builder.finish_gradient(input, part);
  const std::size_t addend = tail_of(builder, node).addend;
  if (addend != kNoNode && builder.plan(addend).needs_gradient)
    builder.pass_gradient(addend, plan.fused_add);
}

// If a sum precedes the relu, the gradient of the result also becomes that of the addend.
void BatchNorm::differentiate(ProgramBuilder& builder, std::size_t node, const GradientPart& write,
                              const GradientPart (&parts)[2]) {
  const NodePlan& plan = builder.plan(node);
  BackwardMemory memory;
  memory.tail = tail_of(builder, node);
  memory.read = builder.read(plan.inputs[0]);
  memory.gradient = builder.gradient_sum(node);
  if (memory.tail.relu && memory.tail.addend != kNoNode) memory.output = builder.read(node);
  memory.write = write;
  memory.gamma = variable_or_none(builder, plan, 0);
  memory.beta = variable_or_none(builder, plan, 1);
  memory.mean = builder.kept(channel_vector(plan), mean_);
  memory.variance = builder.kept(channel_vector(plan), variance_);
  memory.gamma_gradient = parts[0].memory;
  memory.beta_gradient = parts[1].memory;
  memory.epsilon = plan.node->layer->epsilon;
  if (bf16_) {
    return builder.then(
        [norm = bf16_, memory, scratch = scratch_for(builder, *bf16_)](const TaskContext&) {
          norm->backward(memory.as<Bf16>(), scratch.get_data_handle());
        });
  }
  const BlockedShape shape = shape_of(builder.desc(plan.inputs[0]));
  builder.then([shape, memory, scratch = scratch_for(builder, shape)](const TaskContext&) {
    batch_norm_backward(shape, memory.as<float>(), doubles_of(scratch));
  });
}

}  // namespace convoy::cpu
