#include "plugins/devices/cuda/kernels/batch_norm.hpp"

#include <stdexcept>

#include "plugins/devices/cuda/layers/layers.hpp"
#include "plugins/devices/cuda/programs/program_builder.hpp"

namespace convoy::cuda {
namespace {

BatchNormShape norm_shape(const ProgramBuilder& builder, std::size_t node) {
  return {builder.type(), builder.rows(node), builder.shape(node).channels,
          static_cast<float>(builder.layer(node).epsilon)};
}

// The work behind the norm: a sum with another node's activation, a relu.
struct Tail {
  std::size_t addend = kNoNode;
  Relu relu{false, 0.0f};
};

Tail tail_of(const ProgramBuilder& builder, std::size_t node) {
  Tail tail;
  const std::size_t sum = builder.node(node).fused_add;
  if (sum != kNoNode) {
    const std::vector<std::size_t>& inputs = builder.node(sum).inputs;
    tail.addend = inputs[0] == node ? inputs[1] : inputs[0];
  }
  const std::size_t relu = builder.graph_plan().last_relu(node);
  if (relu != kNoNode) tail.relu = builder.relu_of(relu);
  return tail;
}

const float* parameter(const Run& run, const std::optional<VariablePlace>& place) {
  return place ? run.parameter(place->first) : nullptr;
}

float* gradient(const Run& run, const std::optional<VariablePlace>& place) {
  return place ? run.gradient(place->first) : nullptr;
}

}  // namespace

void forward_batch_norm(ProgramBuilder& builder, std::size_t node) {
  const BatchNormShape shape = norm_shape(builder, node);
  const Tail tail = tail_of(builder, node);
  const std::uint64_t statistics = shape.channels * sizeof(float);
  const MemoryPlan::Id mean = builder.temporary(statistics);
  const MemoryPlan::Id inverse = builder.temporary(statistics);
  builder.notes(node) = {mean, inverse};
  builder.need_scratch(batch_norm_scratch(shape));
  const MemoryPlan::Id read = builder.read(builder.node(node).inputs[0]);
  std::optional<MemoryPlan::Id> addend;
  if (tail.addend != kNoNode) addend = builder.read(tail.addend);
  builder.then([=, write = builder.define(node), inference = builder.inference(),
                gamma = builder.variable(node, 0), beta = builder.variable(node, 1),
                decay = static_cast<float>(builder.layer(node).decay),
                first = builder.shape(node).state_first](const Run& run) {
    float* state = run.compute.state;
    if (inference && state == nullptr)
      throw std::invalid_argument("inference needs the moving statistics, and none were passed");
    const BatchNormForward what = {run.at(read),
                                   addend ? run.at(*addend) : nullptr,
                                   run.at(write),
                                   parameter(run, gamma),
                                   parameter(run, beta),
                                   run.floats_at(mean),
                                   run.floats_at(inverse),
                                   state == nullptr ? nullptr : state + first,
                                   decay,
                                   tail.relu};
    if (inference)
      batch_norm_inference(run.stream, shape, what);
    else
      batch_norm_forward(run.stream, shape, what, run.scratch);
  });
}

void backward_batch_norm(ProgramBuilder& builder, std::size_t node) {
  const BatchNormShape shape = norm_shape(builder, node);
  const Tail tail = tail_of(builder, node);
  const std::size_t input = builder.node(node).inputs[0];
  const bool joins = tail.addend != kNoNode;
  std::optional<MemoryPlan::Id> other;
  if (joins && tail.relu.active) other = builder.take_last_part(node);
  const MemoryPlan::Id own = builder.gradient(node);
  const MemoryPlan::Id mean = builder.used(*builder.notes(node).first);
  const MemoryPlan::Id inverse = builder.used(*builder.notes(node).second);
  const MemoryPlan::Id read = builder.read(input);
  std::optional<MemoryPlan::Id> output;
  if (joins && tail.relu.active) output = builder.read(node);
  // Always written, because it is computed together with the gradients of the variables.
  const GradientPart part =
      builder.needs_gradient(input)
          ? builder.begin_gradient(input)
          : GradientPart{builder.temporary(builder.elements(input) * bytes_of(shape.type)), false};
  builder.then([=, relu = tail.relu, gamma = builder.variable(node, 0),
                beta = builder.variable(node, 1)](const Run& run) {
    batch_norm_backward(run.stream, shape,
                        {run.at(read), run.at(own), other ? run.at(*other) : nullptr,
                         output ? run.at(*output) : nullptr, run.at(part.id), part.adds, joins,
                         parameter(run, gamma), parameter(run, beta), run.floats_at(mean),
                         run.floats_at(inverse), gradient(run, gamma), gradient(run, beta), relu},
                        run.scratch);
  });
  if (joins) builder.pass_gradient({tail.addend}, node);
}

}  // namespace convoy::cuda
