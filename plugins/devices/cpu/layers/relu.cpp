#include "plugins/devices/cpu/layers/layers.hpp"

#include "plugins/devices/cpu/layers/elementwise_tasks.hpp"
#include "plugins/devices/cpu/programs/program_builder.hpp"

namespace convoy::cpu {

void Relu::build_forward(ProgramBuilder& builder, std::size_t node) {
  const NodePlan& plan = builder.plan(node);
  if (plan.done_by_producer) return;
  const dnnl::memory read = builder.read(plan.inputs[0]);
  const dnnl::memory write =
      plan.in_place ? read : builder.define(node, builder.desc(plan.inputs[0]));
  builder.then(relu_task(write, read, builder.relu_limit(node)));
}

// A batch norm that computes the relu also undoes it.
void Relu::build_backward(ProgramBuilder& builder, std::size_t node) {
  const NodePlan& plan = builder.plan(node);
  const std::size_t input = plan.inputs[0];
  if (plan.in_place) {
    if (builder.graph_plan().part_of_batch_norm(node)) return;
    const GradientSum gradient = builder.gradient_sum(node);
    const dnnl::memory output = builder.read(node);
    const double limit = builder.relu_limit(node);
    return builder.then(gradient.addend
                            ? add_relu_backward_task(gradient.total, gradient.addend, output, limit)
                            : relu_backward_task(gradient.total, output, limit));
  }
  const dnnl::memory own = builder.gradient(node);
  builder.then(relu_backward_task(own, builder.read(node), builder.relu_limit(node)));
  if (builder.plan(input).needs_gradient) builder.pass_gradient(input, node);
}

}  // namespace convoy::cpu
