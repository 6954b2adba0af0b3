#include "plugins/devices/cpu/layers/layers.hpp"

#include <algorithm>

#include "plugins/devices/cpu/programs/program_builder.hpp"

namespace convoy::cpu {

void MeanLoss::build_forward(ProgramBuilder& builder, std::size_t node) {
  const std::size_t input = builder.plan(node).inputs[0];
  const dnnl::memory read = builder.read_as(input, builder.plain(input));
  builder.then([read, count = element_count(read)](const TaskContext& context) {
    if (context.compute.loss == nullptr) return;
    const float* values = floats_of(read);
    double sum = 0.0;
    for (std::size_t i = 0; i < count; ++i) sum += static_cast<double>(values[i]);
    *context.compute.loss = sum / static_cast<double>(count);
  });
}

void MeanLoss::build_backward(ProgramBuilder& builder, std::size_t node) {
  const std::size_t input = builder.plan(node).inputs[0];
  const GradientPart part = builder.begin_gradient(input, builder.plain(input));
  builder.then(
      [memory = part.memory, count = element_count(part.memory)](const TaskContext& context) {
        const double share = loss_scale_of(context.compute) / static_cast<double>(count);
        std::fill_n(floats_of(memory), count, static_cast<float>(share));
      });
  builder.finish_gradient(input, part);
}

}  // namespace convoy::cpu
