// The part of ProgramBuilder for gradients of activations.
#include <algorithm>
#include <optional>
#include <utility>

#include "plugins/devices/cpu/layers/elementwise_tasks.hpp"
#include "plugins/devices/cpu/programs/program_builder.hpp"

namespace convoy::cpu {
dnnl::memory ProgramBuilder::gradient_memory(Value& value) {
  if (!value.gradient_started) {
    value.gradient = keep(value.desc);
    value.gradient_started = true;
  }
  return kept(value.desc, value.gradient);
}

// A node that no differentiable node reads has a gradient of zero. The graph excludes that: every
// layer leads to the loss.
dnnl::memory ProgramBuilder::gradient(std::size_t node) {
  add_pending(value_of(node));
  return gradient_memory(value_of(node));
}

void ProgramBuilder::add_pending(Value& value) {
  if (!value.addend) return;
  const Workspace::Id addend = *std::exchange(value.addend, std::nullopt);
  help(add_task(gradient_memory(value), gradient_memory(value), kept(value.desc, addend)), "add");
}

GradientSum ProgramBuilder::gradient_sum(std::size_t node) {
  Value& value = value_of(node);
  const std::optional<Workspace::Id> addend = std::exchange(value.addend, std::nullopt);
  return {gradient_memory(value), addend ? kept(value.desc, *addend) : dnnl::memory()};
}

dnnl::memory ProgramBuilder::gradient_as(std::size_t node, const Desc& wanted) {
  dnnl::memory own = gradient(node);
  if (own.get_desc() == wanted) return own;
  dnnl::memory converted = temporary(wanted);
  reorder(own, converted);
  return converted;
}

GradientPart ProgramBuilder::begin_gradient(std::size_t node, const Desc& wanted) {
  Value& value = value_of(node);
  if (!value.gradient_started && value.desc == wanted) return {gradient_memory(value), true};
  const Workspace::Id id = keep(wanted);
  return {kept(wanted, id), false, id};
}

GradientPart ProgramBuilder::begin_gradient_addition(std::size_t node) {
  Value& value = value_of(node);
  if (value.gradient_started && !rounds()) return {gradient_memory(value), true, {}, true};
  return begin_gradient(node, value.desc);
}

GradientPart ProgramBuilder::begin_gradient_over(std::size_t node) {
  Value& value = value_of(node);
  const NodePlan& producer = plan_.nodes[node];
  const bool last_reader = producer.node->layer->kind == CONVOY_LAYER_CONVOLUTION &&
                           plan_.values[producer.value].members.size() == 1 &&
                           producer.consumers.size() == 1 && value.copies.empty();
  if (!last_reader || value.gradient_started || rounds()) return begin_gradient_addition(node);
  value.gradient = value.data;
  value.gradient_started = true;
  return {kept(value.desc, value.gradient), true};
}

void ProgramBuilder::finish_gradient(std::size_t node, const GradientPart& part) {
  if (part.final) return round(part.memory);
  Value& value = value_of(node);
  const bool first = !value.gradient_started;
  const dnnl::memory total = gradient_memory(value);
  if (first) {
    reorder(part.memory, total);
    return round(total);
  }
  // The producer's backward may make the last addition, together with its own work.
  add_pending(value);
  if (!rounds() && part.id && part.memory.get_desc() == value.desc) {
    value.addend = part.id;
    return;
  }
  round(part.memory);
  dnnl::memory addend = part.memory;
  if (addend.get_desc() != value.desc) {
    addend = temporary(value.desc);
    reorder(part.memory, addend);
  }
  help(add_task(total, total, addend), "add");
  round(total);
}

// Whether the gradient of `changed` is still to be changed, by adding a part or in place, before
// the producer of `read` has read its own. Backward goes down the node numbers.
bool ProgramBuilder::changes_before_read(std::size_t changed, std::size_t read) const {
  const std::size_t reader = plan_.values[read].members.front();
  for (std::size_t member : plan_.values[changed].members) {
    if (member < node_ && member >= reader && plan_.changes_gradient(member)) return true;
    for (std::size_t consumer : plan_.nodes[member].consumers) {
      if (consumer < node_ && consumer >= reader && plan_.nodes[consumer].value != changed)
        return true;
    }
  }
  return false;
}

bool ProgramBuilder::may_share(std::size_t input, std::size_t consumer) const {
  const std::size_t mine = plan_.nodes[input].value;
  const std::size_t theirs = plan_.nodes[consumer].value;
  if (values_[mine].gradient_started || values_[mine].desc != values_[theirs].desc) return false;
  const std::vector<std::size_t>& inputs = plan_.nodes[consumer].inputs;
  if (std::count(inputs.begin(), inputs.end(), input) > 1) return false;
  for (std::size_t other = 0; other < values_.size(); ++other) {
    const Value& value = values_[other];
    if (other == theirs || !value.gradient_started) continue;
    if (value.gradient != values_[theirs].gradient) continue;
    if (value.addend) return false;
    if (changes_before_read(mine, other) || changes_before_read(other, mine)) return false;
  }
  return true;
}

void ProgramBuilder::pass_gradient(std::size_t input, std::size_t consumer) {
  const dnnl::memory own = gradient(consumer);
  Value& value = value_of(input);
  if (may_share(input, consumer)) {
    value.gradient = value_of(consumer).gradient;
    value.gradient_started = true;
    return;
  }
  finish_gradient(input, {own, false});
}

}  // namespace convoy::cpu
