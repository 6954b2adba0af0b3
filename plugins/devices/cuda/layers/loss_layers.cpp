#include "plugins/devices/cuda/kernels/loss.hpp"
#include "plugins/devices/cuda/layers/layers.hpp"
#include "plugins/devices/cuda/programs/program_builder.hpp"

namespace convoy::cuda {
namespace {

std::uint32_t classes_of(const ProgramBuilder& builder, std::size_t input) {
  return static_cast<std::uint32_t>(builder.elements(input) / builder.batch());
}

}  // namespace

// Scores with more than one cell per channel would need another order than NHWC. The classifier
// before the loss has one cell.
void forward_cross_entropy(ProgramBuilder& builder, std::size_t node) {
  const std::size_t input = builder.node(node).inputs[0];
  const std::uint32_t batch = builder.batch();
  const MemoryPlan::Id labels = builder.used(*builder.labels());
  const MemoryPlan::Id losses = builder.temporary(batch * sizeof(double));
  const MemoryPlan::Id hits = builder.temporary(2 * batch);
  builder.then([=, scores = builder.read(input), type = builder.type(),
                classes = classes_of(builder, input)](const Run& run) {
    cross_entropy(run.stream, type, run.at(scores), static_cast<std::int32_t*>(run.at(labels)),
                  batch, classes, static_cast<double*>(run.at(losses)),
                  static_cast<std::uint8_t*>(run.at(hits)), run.result);
  });
}

void backward_cross_entropy(ProgramBuilder& builder, std::size_t node) {
  const std::size_t input = builder.node(node).inputs[0];
  const MemoryPlan::Id labels = builder.used(*builder.labels());
  const MemoryPlan::Id scores = builder.read(input);
  const MemoryPlan::Id part = builder.begin_whole_gradient(input);
  builder.then([=, type = builder.type(), batch = builder.batch(),
                classes = classes_of(builder, input)](const Run& run) {
    cross_entropy_backward(run.stream, type, run.at(part), run.at(scores),
                           static_cast<std::int32_t*>(run.at(labels)), batch, classes,
                           run.compute.loss_scale);
  });
  builder.finish_gradient(input, part);
}

void forward_mean_loss(ProgramBuilder& builder, std::size_t node) {
  const std::size_t input = builder.node(node).inputs[0];
  builder.then([=, read = builder.read(input), type = builder.type(),
                count = builder.elements(input)](const Run& run) {
    mean_loss(run.stream, type, run.at(read), count, run.result);
  });
}

void backward_mean_loss(ProgramBuilder& builder, std::size_t node) {
  const std::size_t input = builder.node(node).inputs[0];
  const MemoryPlan::Id part = builder.begin_whole_gradient(input);
  builder.then([=, type = builder.type(), count = builder.elements(input)](const Run& run) {
    mean_loss_backward(run.stream, type, run.at(part), count, run.compute.loss_scale);
  });
  builder.finish_gradient(input, part);
}

}  // namespace convoy::cuda
