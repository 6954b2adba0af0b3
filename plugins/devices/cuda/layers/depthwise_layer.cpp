#include <stdexcept>
#include <string>

#include "plugins/devices/cuda/layers/layers.hpp"
#include "plugins/devices/cuda/layers/windows_of.hpp"
#include "plugins/devices/cuda/programs/program_builder.hpp"
#include "plugins/devices/cuda/programs/propose_layouts.hpp"

namespace convoy::cuda {
namespace {

// Each filter has one input channel, so every storage order without blocks is
// [channel][row][column].
std::uint64_t first_weight(const ProgramBuilder& builder, std::size_t node) {
  const VariablePlace place = *builder.variable(node, 0);
  if (!is_channels_last(*place.variable))
    throw std::invalid_argument(std::string("cuda device: no implementation of this storage of a "
                                            "depthwise filter yet, as variable ") +
                                place.variable->name + " has it");
  return place.first;
}

}  // namespace

void forward_depthwise(ProgramBuilder& builder, std::size_t node) {
  const Windows windows = windows_of(builder, node);
  const MemoryPlan::Id input = builder.read(builder.node(node).inputs[0]);
  const MemoryPlan::Id output = builder.define(node);
  const Type type = builder.type();
  const Relu relu = builder.fused_relu(node);
  const std::optional<VariablePlace> bias = builder.variable(node, 1);
  builder.then([=, first = first_weight(builder, node)](const Run& run) {
    depthwise(run.stream, type, windows, run.at(output), run.at(input), run.parameter(first));
    if (bias)
      add_bias(run.stream, type, run.at(output), run.parameter(bias->first), relu,
               windows.outputs() / windows.channels, windows.channels);
    else if (relu.active)
      join(run.stream, type, run.at(output), run.at(output), nullptr, relu, windows.outputs());
  });
}

void backward_depthwise(ProgramBuilder& builder, std::size_t node) {
  const Windows windows = windows_of(builder, node);
  const std::size_t input = builder.node(node).inputs[0];
  const MemoryPlan::Id gradient = builder.gradient(node);
  const Type type = builder.type();
  const std::uint64_t first = first_weight(builder, node);
  const std::optional<VariablePlace> bias = builder.variable(node, 1);
  builder.need_scratch(depthwise_scratch(windows));
  builder.need_scratch(column_sum_scratch(windows.channels));
  builder.part(CONVOY_PASS_BACKWARD_WEIGHTS);
  builder.then([=, read = builder.read(input)](const Run& run) {
    depthwise_weights(run.stream, type, windows, run.gradient(first), run.at(read),
                      run.at(gradient), run.scratch);
    if (bias)
      column_sums(run.stream, type, run.gradient(bias->first), run.at(gradient),
                  windows.outputs() / windows.channels, windows.channels, run.scratch);
  });
  if (!builder.needs_gradient(input)) return;
  builder.part(CONVOY_PASS_BACKWARD_DATA);
  const GradientPart part = builder.begin_gradient(input);
  builder.then([=](const Run& run) {
    depthwise_data(run.stream, type, windows, run.at(part.id), run.at(gradient),
                   run.parameter(first), part.adds);
  });
}

}  // namespace convoy::cuda
