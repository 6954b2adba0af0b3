#include "plugins/devices/cuda/kernels/local_response_norm.hpp"
#include "plugins/devices/cuda/layers/layers.hpp"
#include "plugins/devices/cuda/programs/program_builder.hpp"

namespace convoy::cuda {
namespace {

ResponseNorm response_norm_of(const ProgramBuilder& builder, std::size_t node) {
  const convoy_layer& layer = builder.layer(node);
  return {builder.type(),
          builder.rows(node),
          builder.shape(node).channels,
          layer.radius,
          static_cast<float>(layer.alpha),
          static_cast<float>(layer.beta),
          static_cast<float>(layer.offset)};
}

}  // namespace

void forward_response_norm(ProgramBuilder& builder, std::size_t node) {
  const ResponseNorm shape = response_norm_of(builder, node);
  const MemoryPlan::Id read = builder.read(builder.node(node).inputs[0]);
  builder.then([=, write = builder.define(node)](const Run& run) {
    response_norm(run.stream, shape, run.at(write), run.at(read));
  });
}

void backward_response_norm(ProgramBuilder& builder, std::size_t node) {
  const std::size_t input = builder.node(node).inputs[0];
  if (!builder.needs_gradient(input)) return;
  const ResponseNorm shape = response_norm_of(builder, node);
  const MemoryPlan::Id gradient = builder.gradient(node);
  const GradientPart part = builder.begin_gradient(input);
  builder.need_scratch(builder.elements(node) * sizeof(float));
  builder.then([=, read = builder.read(input)](const Run& run) {
    response_norm_backward(run.stream, shape, run.at(part.id), run.at(read), run.at(gradient),
                           static_cast<float*>(run.scratch), part.adds);
  });
}

}  // namespace convoy::cuda
