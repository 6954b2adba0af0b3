#include "plugins/devices/cuda/kernels/channel_factors.hpp"
#include "plugins/devices/cuda/kernels/pointwise.hpp"
#include "plugins/devices/cuda/layers/layers.hpp"
#include "plugins/devices/cuda/programs/program_builder.hpp"

namespace convoy::cuda {
namespace {

Curve curve_of(const ProgramBuilder& builder, std::size_t node) {
  switch (builder.layer(node).kind) {
    case CONVOY_LAYER_SIGMOID:
      return Curve::kSigmoid;
    case CONVOY_LAYER_TANH:
      return Curve::kTanh;
    case CONVOY_LAYER_SILU:
      return Curve::kSilu;
    default:
      return Curve::kGelu;
  }
}

// Whether the second input has one cell for many of the first.
bool has_factor_per_channel(const ProgramBuilder& builder, std::size_t node) {
  const std::vector<std::size_t>& inputs = builder.node(node).inputs;
  return builder.elements(inputs[0]) != builder.elements(inputs[1]);
}

FactoredShape factored_shape(const ProgramBuilder& builder, std::size_t node,
                             bool factor_per_image) {
  return {builder.type(), builder.batch(), builder.cells(node), builder.shape(node).channels,
          factor_per_image};
}

// Computes the gradient of one of two inputs of equal shape: the gradient of the product times the
// other input.
void differentiate_factor(ProgramBuilder& builder, std::size_t node, std::size_t input,
                          std::size_t other) {
  if (!builder.needs_gradient(input)) return;
  const MemoryPlan::Id gradient = builder.gradient(node);
  const GradientPart part = builder.begin_gradient(input);
  builder.then([=, factor = builder.read(other), type = builder.type(),
                count = builder.elements(node)](const Run& run) {
    multiply(run.stream, type, run.at(part.id), run.at(gradient), run.at(factor), part.adds, count);
  });
}

void differentiate_factored(ProgramBuilder& builder, std::size_t node) {
  const std::vector<std::size_t>& inputs = builder.node(node).inputs;
  const FactoredShape shape = factored_shape(builder, node, true);
  const MemoryPlan::Id gradient = builder.gradient(node);
  const MemoryPlan::Id read = builder.read(inputs[0]), factors = builder.read(inputs[1]);
  if (builder.needs_gradient(inputs[1])) {
    builder.need_scratch(factor_scratch(shape));
    const GradientPart part = builder.begin_gradient(inputs[1]);
    builder.then([=](const Run& run) {
      factor_gradients(run.stream, shape, run.at(part.id), run.at(gradient), run.at(read),
                       part.adds, run.scratch);
    });
  }
  if (!builder.needs_gradient(inputs[0])) return;
  const GradientPart part = builder.begin_gradient(inputs[0]);
  builder.then([=](const Run& run) {
    scale_channels(run.stream, shape, run.at(part.id), run.at(gradient), run.at(factors),
                   part.adds);
  });
}

}  // namespace

void forward_curve(ProgramBuilder& builder, std::size_t node) {
  const MemoryPlan::Id read = builder.read(builder.node(node).inputs[0]);
  builder.then([=, write = builder.define(node), type = builder.type(),
                curve = curve_of(builder, node), count = builder.elements(node)](const Run& run) {
    apply_curve(run.stream, type, curve, run.at(write), run.at(read), count);
  });
}

void backward_curve(ProgramBuilder& builder, std::size_t node) {
  const std::size_t input = builder.node(node).inputs[0];
  if (!builder.needs_gradient(input)) return;
  const MemoryPlan::Id gradient = builder.gradient(node);
  const GradientPart part = builder.begin_gradient(input);
  builder.then([=, read = builder.read(input), type = builder.type(),
                curve = curve_of(builder, node), count = builder.elements(node)](const Run& run) {
    curve_backward(run.stream, type, curve, run.at(part.id), run.at(gradient), run.at(read),
                   part.adds, count);
  });
}

void forward_multiply(ProgramBuilder& builder, std::size_t node) {
  const std::vector<std::size_t>& inputs = builder.node(node).inputs;
  const MemoryPlan::Id a = builder.read(inputs[0]), b = builder.read(inputs[1]);
  const MemoryPlan::Id write = builder.define(node);
  if (has_factor_per_channel(builder, node))
    return builder.then([=, shape = factored_shape(builder, node, true)](const Run& run) {
      scale_channels(run.stream, shape, run.at(write), run.at(a), run.at(b), false);
    });
  builder.then([=, type = builder.type(), count = builder.elements(node)](const Run& run) {
    multiply(run.stream, type, run.at(write), run.at(a), run.at(b), false, count);
  });
}

void backward_multiply(ProgramBuilder& builder, std::size_t node) {
  if (has_factor_per_channel(builder, node)) return differentiate_factored(builder, node);
  const std::vector<std::size_t>& inputs = builder.node(node).inputs;
  differentiate_factor(builder, node, inputs[0], inputs[1]);
  differentiate_factor(builder, node, inputs[1], inputs[0]);
}

void forward_scale(ProgramBuilder& builder, std::size_t node) {
  const MemoryPlan::Id read = builder.read(builder.node(node).inputs[0]);
  builder.then([=, write = builder.define(node), shape = factored_shape(builder, node, false),
                first = builder.variable(node, 0)->first](const Run& run) {
    scale_channels(run.stream, shape, run.at(write), run.at(read), run.parameter(first), false);
  });
}

void backward_scale(ProgramBuilder& builder, std::size_t node) {
  const std::size_t input = builder.node(node).inputs[0];
  const FactoredShape shape = factored_shape(builder, node, false);
  const std::uint64_t first = builder.variable(node, 0)->first;
  const MemoryPlan::Id gradient = builder.gradient(node);
  builder.need_scratch(factor_scratch(shape));
  builder.part(CONVOY_PASS_BACKWARD_WEIGHTS);
  builder.then([=, read = builder.read(input)](const Run& run) {
    factor_gradients(run.stream, shape, run.gradient(first), run.at(gradient), run.at(read), false,
                     run.scratch);
  });
  if (!builder.needs_gradient(input)) return;
  builder.part(CONVOY_PASS_BACKWARD_DATA);
  const GradientPart part = builder.begin_gradient(input);
  builder.then([=](const Run& run) {
    scale_channels(run.stream, shape, run.at(part.id), run.at(gradient), run.parameter(first),
                   part.adds);
  });
}

}  // namespace convoy::cuda
