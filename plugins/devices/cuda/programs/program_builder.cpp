#include "plugins/devices/cuda/programs/program_builder.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "plugins/devices/cuda/layers/layers.hpp"

namespace convoy::cuda {
namespace {

void check(const convoy_compilation& what) {
  constexpr std::uint32_t kKnown = CONVOY_COMPILE_DROPOUT | CONVOY_COMPILE_ACCURACY |
                                   CONVOY_COMPILE_INFERENCE | CONVOY_COMPILE_DIRECT_CONVOLUTIONS |
                                   CONVOY_COMPILE_PROFILE;
  if ((what.flags & ~kKnown) != 0)
    throw std::invalid_argument("compile flags " + std::to_string(what.flags & ~kKnown) +
                                " are unknown to this CUDA device");
  if (what.dtype > CONVOY_BF16)
    throw std::invalid_argument("CUDA devices compute in f32, f16 or bf16, not in type " +
                                std::to_string(what.dtype));
  if (what.batch == 0) throw std::invalid_argument("a batch needs at least one image");
}

const char* pass_name(convoy_pass pass) {
  constexpr const char* kNames[] = {" forward", " backward data", " backward weights"};
  return kNames[pass];
}

}  // namespace

ProgramBuilder::ProgramBuilder(const convoy_compilation& what)
    : what_(what), type_(static_cast<Type>(what.dtype)) {
  check(what);
  plan_.inference = (what.flags & CONVOY_COMPILE_INFERENCE) != 0;
  plan_.accuracy = (what.flags & CONVOY_COMPILE_ACCURACY) != 0;
  plan_.profiled = (what.flags & CONVOY_COMPILE_PROFILE) != 0;
  plan_.batch = what.batch;
  graph_plan_ = plan_graph(*what.graph, {.dropout = drops(), .rounds = false});
  values_.resize(graph_plan_.values.size());
  notes_.resize(graph_plan_.nodes.size());
  plan_.forward.resize(what.graph->segment_count);
  plan_.backward.resize(what.graph->segment_count);
}

ProgramPlan ProgramBuilder::build() {
  const std::size_t count = graph_plan_.nodes.size();
  for (std::size_t index = 0; index < count; ++index) build_node(index, true);
  for (std::size_t index = count; !inference() && index-- > 0;)
    if (needs_gradient(index)) build_node(index, false);
  const std::size_t last = count - 1;
  plan_.loss_segment = shape(last).segment;
  if (layer(last).kind == CONVOY_LAYER_SOFTMAX_CROSS_ENTROPY)
    plan_.classes = static_cast<std::uint32_t>(elements(node(last).inputs[0]) / batch());
  plan_.memory.place();
  return std::move(plan_);
}

void ProgramBuilder::build_node(std::size_t index, bool forward) {
  node_ = index;
  pass_ = forward ? CONVOY_PASS_FORWARD : CONVOY_PASS_BACKWARD_DATA;
  now_ = forward ? index : 2 * graph_plan_.nodes.size() - 1 - index;
  tasks_ = &(forward ? plan_.forward : plan_.backward)[shape(index).segment];
  const LayerFunctions functions = functions_of(layer(index).kind);
  (forward ? functions.forward : functions.backward)(*this, index);
}

std::uint64_t ProgramBuilder::cells(std::size_t index) const {
  return std::uint64_t{shape(index).height} * shape(index).width;
}

std::uint64_t ProgramBuilder::rows(std::size_t index) const {
  return batch() * cells(index);
}

std::uint64_t ProgramBuilder::elements(std::size_t index) const {
  return rows(index) * shape(index).channels;
}

Relu ProgramBuilder::relu_of(std::size_t relu_node) const {
  return {true, static_cast<float>(layer(relu_node).limit)};
}

Relu ProgramBuilder::fused_relu(std::size_t index) const {
  const std::size_t relu = node(index).fused_relu;
  return relu == kNoNode ? Relu{false, 0.0f} : relu_of(relu);
}

std::optional<VariablePlace> ProgramBuilder::variable(std::size_t index, int which) const {
  const std::uint32_t number = shape(index).variables[which];
  if (number == CONVOY_NONE) return std::nullopt;
  const convoy_graph_variable* variable = what_.graph->variables[number];
  return VariablePlace{variable, variable->arena_first};
}

void ProgramBuilder::append(Task task, convoy_profile_role role, const char* implementation) {
  const char* name = layer(node_).name;
  tasks_->push_back(
      {std::move(task),
       {static_cast<std::uint32_t>(node_), pass_, role, implementation},
       (name == nullptr ? "node " + std::to_string(node_) : std::string(name)) + pass_name(pass_)});
}

void ProgramBuilder::then(Task task, const char* implementation) {
  append(std::move(task), CONVOY_PROFILE_KERNEL, implementation);
}

void ProgramBuilder::help(Task task, const char* implementation) {
  append(std::move(task), CONVOY_PROFILE_HELPER, implementation);
}

void ProgramBuilder::take_input(std::size_t node) {
  plan_.image_bytes = elements(node) * sizeof(float);
  plan_.input_segment = shape(node).segment;
  const std::size_t last = graph_plan_.nodes.size() - 1;
  if (layer(last).kind == CONVOY_LAYER_SOFTMAX_CROSS_ENTROPY)
    labels_ = temporary(batch() * sizeof(std::int32_t));
}

void ProgramBuilder::need_scratch(std::uint64_t bytes) {
  plan_.scratch_bytes = std::max(plan_.scratch_bytes, bytes);
}

MemoryPlan::Id ProgramBuilder::used(MemoryPlan::Id id) {
  plan_.memory.use(id, now_);
  return id;
}

MemoryPlan::Id ProgramBuilder::temporary(std::uint64_t bytes) {
  return used(plan_.memory.add(bytes));
}

MemoryPlan::Id ProgramBuilder::read(std::size_t index) {
  return used(value_of(index).data);
}

MemoryPlan::Id ProgramBuilder::define(std::size_t index) {
  value_of(index).data = temporary(elements(index) * bytes_of(type_));
  return value_of(index).data;
}

// A node that no differentiable node reads has a gradient of zero. The graph excludes that: every
// layer leads to the loss.
MemoryPlan::Id ProgramBuilder::gradient(std::size_t index) {
  Value& value = value_of(index);
  if (!value.gradient) value.gradient = temporary(elements(index) * bytes_of(type_));
  if (const auto part = take_last_part(index))
    accumulate(*value.gradient, *part, true, elements(index));
  return used(*value.gradient);
}

std::optional<MemoryPlan::Id> ProgramBuilder::take_last_part(std::size_t index) {
  const auto part = std::exchange(value_of(index).last_part, std::nullopt);
  if (part) used(*part);
  return part;
}

GradientPart ProgramBuilder::begin_gradient(std::size_t index) {
  const bool adds = value_of(index).gradient.has_value();
  return {gradient(index), adds};
}

MemoryPlan::Id ProgramBuilder::begin_whole_gradient(std::size_t index) {
  if (!value_of(index).gradient) return gradient(index);
  return temporary(elements(index) * bytes_of(type_));
}

void ProgramBuilder::finish_gradient(std::size_t index, MemoryPlan::Id part) {
  const MemoryPlan::Id total = gradient(index);
  if (part != total) value_of(index).last_part = used(part);
}

void ProgramBuilder::accumulate(MemoryPlan::Id total, MemoryPlan::Id part, bool adds,
                                std::uint64_t count) {
  help(
      [=, type = type_](const Run& run) {
        join(run.stream, type, run.at(total), run.at(part), adds ? run.at(total) : nullptr,
             {false, 0.0f}, count);
      },
      "sum of gradients");
}

// The last input without a gradient takes the memory itself.
void ProgramBuilder::pass_gradient(const std::vector<std::size_t>& inputs, std::size_t consumer) {
  const MemoryPlan::Id own = gradient(consumer);
  std::vector<std::size_t> wanted;
  std::copy_if(inputs.begin(), inputs.end(), std::back_inserter(wanted),
               [this](std::size_t input) { return needs_gradient(input); });
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    Value& value = value_of(wanted[i]);
    const bool twice = std::count(wanted.begin(), wanted.end(), wanted[i]) > 1;
    if (i + 1 == wanted.size() && !value.gradient && !twice) {
      value.gradient = own;
      return;
    }
    const GradientPart part = begin_gradient(wanted[i]);
    accumulate(part.id, own, part.adds, elements(wanted[i]));
  }
}

ProgramPlan plan_program(const convoy_compilation& what) {
  return ProgramBuilder(what).build();
}

}  // namespace convoy::cuda
