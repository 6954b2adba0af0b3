#include "plugins/devices/cpu/layers/dropout.hpp"

#include <cmath>

#include "plugins/devices/cpu/kernels/table.hpp"
#include "plugins/devices/cpu/program_builder.hpp"
#include "plugins/devices/cpu/team.hpp"

namespace convoy::cpu {
namespace {

std::uint64_t mix(std::uint64_t key, std::uint64_t word) {  // splitmix64
  std::uint64_t z = key + word + 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

Task dropout_task(const dnnl::memory& write, const dnnl::memory& read, double keep,
                  std::uint64_t key) {
  const auto threshold = static_cast<std::uint32_t>(std::min(keep * 0x1p32, 0x1p32 - 1.0));
  const auto factor = static_cast<float>(1.0 / keep);
  return [write, read, threshold, factor, key,
          count = float_count(write)](const TaskContext& context) {
    const std::uint64_t step_key = mix(key, context.step);
    float* to = floats_of(write);
    const float* from = floats_of(read);
    parallel_stretches(count, [&](std::size_t first, std::size_t size) {
      kernels().dropout(to + first, from + first, step_key, threshold, factor, first, size);
    });
  };
}

std::uint64_t key_of(const ProgramBuilder& builder, std::size_t node) {
  const convoy_compilation& what = builder.compilation();
  return mix(mix(mix(0, what.seed), what.replica), node);
}

bool drops(const ProgramBuilder& builder, const convoy_layer& layer) {
  return (builder.compilation().flags & CONVOY_COMPILE_DROPOUT) != 0 && layer.keep < 1.0;
}

}  // namespace

void Dropout::build_forward(ProgramBuilder& builder, std::size_t node) {
  const NodePlan& plan = builder.plan(node);
  const convoy_layer& layer = *plan.node->layer;
  const dnnl::memory read = builder.read(plan.inputs[0]);
  const dnnl::memory write =
      plan.in_place ? read : builder.define(node, builder.desc(plan.inputs[0]));
  if (drops(builder, layer)) {
    builder.then(dropout_task(write, read, layer.keep, key_of(builder, node)));
  } else if (!plan.in_place) {
    builder.reorder(read, write);
  }
}

void Dropout::build_backward(ProgramBuilder& builder, std::size_t node) {
  const NodePlan& plan = builder.plan(node);
  const convoy_layer& layer = *plan.node->layer;
  const dnnl::memory own = builder.gradient(node);
  if (drops(builder, layer)) {
    builder.then(dropout_task(own, own, layer.keep, key_of(builder, node)));
  }
  const std::size_t input = plan.inputs[0];
  if (!plan.in_place && builder.plan(input).needs_gradient) builder.pass_gradient(input, node);
}

}  // namespace convoy::cpu
