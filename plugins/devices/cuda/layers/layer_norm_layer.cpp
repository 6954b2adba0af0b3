#include "plugins/devices/cuda/kernels/layer_norm.hpp"

#include "plugins/devices/cuda/layers/layers.hpp"
#include "plugins/devices/cuda/programs/program_builder.hpp"

namespace convoy::cuda {
namespace {

LayerNormShape shape_of_norm(const ProgramBuilder& builder, std::size_t node) {
  return {builder.type(), builder.rows(node), builder.shape(node).channels};
}

// The memory that the backward pass reads.
struct PastPlaces {
  MemoryPlan::Id read, mean, inverse, gradient;
  std::optional<VariablePlace> gamma;

  LayerNormPast in(const Run& run) const {
    return {run.at(read), gamma ? run.parameter(gamma->first) : nullptr, run.floats_at(mean),
            run.floats_at(inverse), run.at(gradient)};
  }
};

}  // namespace

void forward_layer_norm(ProgramBuilder& builder, std::size_t node) {
  const LayerNormShape shape = shape_of_norm(builder, node);
  const MemoryPlan::Id mean = builder.temporary(shape.rows * sizeof(float));
  const MemoryPlan::Id inverse = builder.temporary(shape.rows * sizeof(float));
  builder.notes(node) = {mean, inverse};
  const MemoryPlan::Id read = builder.read(builder.node(node).inputs[0]);
  builder.then([=, write = builder.define(node), gamma = builder.variable(node, 0),
                beta = builder.variable(node, 1)->first,
                epsilon = static_cast<float>(builder.layer(node).epsilon)](const Run& run) {
    layer_norm(run.stream, shape, run.at(write), run.at(read),
               gamma ? run.parameter(gamma->first) : nullptr, run.parameter(beta), epsilon,
               run.floats_at(mean), run.floats_at(inverse));
  });
}

void backward_layer_norm(ProgramBuilder& builder, std::size_t node) {
  const LayerNormShape shape = shape_of_norm(builder, node);
  const std::size_t input = builder.node(node).inputs[0];
  const PastPlaces past = {builder.read(input), builder.used(*builder.notes(node).first),
                           builder.used(*builder.notes(node).second), builder.gradient(node),
                           builder.variable(node, 0)};
  builder.need_scratch(layer_norm_scratch(shape.channels));
  builder.part(CONVOY_PASS_BACKWARD_WEIGHTS);
  builder.then([=, beta = builder.variable(node, 1)->first](const Run& run) {
    float* const gamma = past.gamma ? run.gradient(past.gamma->first) : nullptr;
    layer_norm_variables(run.stream, shape, past.in(run), gamma, run.gradient(beta), run.scratch);
  });
  if (!builder.needs_gradient(input)) return;
  builder.part(CONVOY_PASS_BACKWARD_DATA);
  const GradientPart part = builder.begin_gradient(input);
  builder.then([=](const Run& run) {
    layer_norm_backward(run.stream, shape, past.in(run), run.at(part.id), part.adds);
  });
}

}  // namespace convoy::cuda
