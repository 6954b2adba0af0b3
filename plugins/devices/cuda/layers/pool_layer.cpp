#include <stdexcept>

#include "plugins/devices/cuda/layers/layers.hpp"
#include "plugins/devices/cuda/layers/windows_of.hpp"
#include "plugins/devices/cuda/programs/program_builder.hpp"

namespace convoy::cuda {
namespace {

bool takes_maximum(const ProgramBuilder& builder, std::size_t node) {
  return builder.layer(node).kind == CONVOY_LAYER_MAX_POOL;
}

}  // namespace

void forward_pool(ProgramBuilder& builder, std::size_t node) {
  const Windows windows = windows_of(builder, node);
  const MemoryPlan::Id input = builder.read(builder.node(node).inputs[0]);
  const MemoryPlan::Id output = builder.define(node);
  const Type type = builder.type();
  if (!takes_maximum(builder, node)) {
    return builder.then([=](const Run& run) {
      average_pool(run.stream, type, windows, run.at(output), run.at(input));
    });
  }
  if (windows.kernel_height * windows.kernel_width > kMostRecordedCells)
    throw std::invalid_argument("cuda device: no implementation of max pools over more than " +
                                std::to_string(kMostRecordedCells) + " cells yet");
  std::optional<MemoryPlan::Id> record;
  if (!builder.inference() && builder.needs_gradient(node))
    record = builder.temporary(windows.outputs());
  builder.notes(node).first = record;
  builder.then([=](const Run& run) {
    max_pool(run.stream, type, windows, run.at(output), run.at(input),
             record ? static_cast<std::uint8_t*>(run.at(*record)) : nullptr);
  });
}

void backward_pool(ProgramBuilder& builder, std::size_t node) {
  const std::size_t input = builder.node(node).inputs[0];
  if (!builder.needs_gradient(input)) return;
  const Windows windows = windows_of(builder, node);
  const MemoryPlan::Id gradient = builder.gradient(node);
  const GradientPart part = builder.begin_gradient(input);
  const Type type = builder.type();
  if (!takes_maximum(builder, node)) {
    return builder.then([=](const Run& run) {
      average_pool_backward(run.stream, type, windows, run.at(part.id), run.at(gradient),
                            part.adds);
    });
  }
  const MemoryPlan::Id record = builder.used(*builder.notes(node).first);
  builder.then([=](const Run& run) {
    max_pool_backward(run.stream, type, windows, run.at(part.id), run.at(gradient),
                      static_cast<const std::uint8_t*>(run.at(record)), part.adds);
  });
}

}  // namespace convoy::cuda
