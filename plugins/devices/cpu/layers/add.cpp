#include "plugins/devices/cpu/layers/layers.hpp"

#include "plugins/devices/cpu/layers/elementwise_tasks.hpp"
#include "plugins/devices/cpu/programs/program_builder.hpp"

namespace convoy::cpu {

void Add::build_forward(ProgramBuilder& builder, std::size_t node) {
  const NodePlan& plan = builder.plan(node);
  if (plan.done_by_producer) return;
  const Desc desc = builder.desc(plan.inputs[0]);
  const bool relu = plan.fused_relu != kNoNode;
  const double limit = relu ? builder.relu_limit(plan.fused_relu) : 0.0;
  dnnl::memory sum = builder.read(plan.inputs[0]);
  const dnnl::memory write = builder.define(node, desc);
  if (plan.inputs.size() == 1) return builder.reorder(sum, write);
  for (std::size_t i = 1; i < plan.inputs.size(); ++i) {
    const dnnl::memory addend = builder.read_as(plan.inputs[i], desc);
    const bool last = i + 1 == plan.inputs.size();
    builder.then(relu && last ? add_relu_task(write, sum, addend, limit)
                              : add_task(write, sum, addend));
    sum = write;
  }
}

void Add::build_backward(ProgramBuilder& builder, std::size_t node) {
  if (builder.plan(node).done_by_producer) return;
  for (std::size_t input : builder.plan(node).inputs) {
    if (builder.plan(input).needs_gradient) builder.pass_gradient(input, node);
  }
}

}  // namespace convoy::cpu
