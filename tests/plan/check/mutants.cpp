#include "tests/plan/check/mutants.hpp"

#include <algorithm>

#include "core/base/error.hpp"
#include "core/plan/abi_operation.hpp"
#include "core/plan/validate.hpp"

namespace convoy::testing {
namespace {

using Random = std::mt19937;

std::size_t pick(Random& random, std::size_t count) {
  return std::uniform_int_distribution<std::size_t>(0, count - 1)(random);
}

// What the planner would say about the operation.
bool valid(const plan::Operation& it, const plan::Plan& plan) {
  try {
    plan::resolve_operation(plan::to_abi(it), plan);
    return true;
  } catch (const Error&) {
    return false;
  }
}

bool rescale(plan::Operation& operation, Random& random) {
  switch (operation.kind) {
    case plan::OperationKind::kApply:
      operation.contributions += 1 + pick(random, 3);
      return true;
    case plan::OperationKind::kScale:
    case plan::OperationKind::kAxpy:
      operation.scalar *= 0.5;
      return true;
    case plan::OperationKind::kFill:
      operation.scalar += 0.25;
      return true;
    default:
      return false;
  }
}

plan::PlanSpan& random_span(plan::Operation& operation, Random& random) {
  const std::size_t index = pick(random, operation.reads.size() + operation.writes.size());
  return index < operation.reads.size() ? operation.reads[index]
                                        : operation.writes[index - operation.reads.size()];
}

bool shift(plan::Operation& operation, const plan::Plan& plan, Random& random) {
  if (plan::is_compute(operation.kind)) return false;
  plan::PlanSpan& span = random_span(operation, random);
  const std::uint64_t by = 1 + pick(random, 4);
  if (pick(random, 2) == 0) {
    if (span.first + span.count + by > plan.buffers[span.buffer].count) return false;
    span.first += by;
  } else {
    if (span.first < by) return false;
    span.first -= by;
  }
  return true;
}

// The same elements of another buffer that is like it.
bool change_buffer(plan::Operation& operation, const plan::Plan& plan, Random& random) {
  if (plan::is_compute(operation.kind)) return false;
  plan::PlanSpan& span = random_span(operation, random);
  const auto other = static_cast<std::uint32_t>(pick(random, plan.buffers.size()));
  const plan::PlanBuffer& before = plan.buffers[span.buffer];
  const plan::PlanBuffer& after = plan.buffers[other];
  if (other == span.buffer || before.kind != after.kind || before.dtype != after.dtype ||
      before.count != after.count)
    return false;
  span.buffer = other;
  return true;
}

void renumber(std::vector<plan::Operation>& prologue, std::vector<plan::Operation>& body,
              std::uint32_t id) {
  for (auto* section : {&prologue, &body})
    for (plan::Operation& operation : *section) operation.id = id++;
}

void renumber(plan::Plan& plan) {
  renumber(plan.prologue, plan.body, 0);
  const auto first = static_cast<std::uint32_t>(plan.prologue.size());
  for (plan::PlanStage& stage : plan.later) renumber(stage.prologue, stage.body, first);
}

// The body; of several stages any of their bodies and prologues.
std::vector<plan::Operation>& random_section(plan::Plan& plan, Random& random) {
  if (plan.later.empty()) return plan.body;
  const std::size_t number = pick(random, 1 + 2 * plan.later.size());
  if (number == 0) return plan.body;
  plan::PlanStage& stage = plan.later[(number - 1) / 2];
  return number % 2 == 0 && !stage.prologue.empty() ? stage.prologue : stage.body;
}

bool change_order(std::vector<plan::Operation>& body, MutationKind kind, Random& random) {
  const std::size_t at = pick(random, body.size());
  const auto place = body.begin() + static_cast<std::ptrdiff_t>(at);
  if (kind == MutationKind::kDrop) {
    body.erase(place);
    return true;
  }
  if (kind == MutationKind::kDouble) {
    const plan::Operation copy = *place;
    body.insert(place + 1, copy);
    return true;
  }
  const std::size_t other = pick(random, body.size());
  if (at == other) return false;
  std::swap(body[at], body[other]);
  std::swap(body[at].phase, body[other].phase);
  return true;
}

}  // namespace

std::string_view mutation_name(MutationKind kind) {
  constexpr std::string_view kNames[] = {"drop", "double", "swap", "rescale", "shift", "replica"};
  return kNames[static_cast<std::size_t>(kind)];
}

bool mutate(plan::Plan& plan, MutationKind kind, Random& random) {
  std::vector<plan::Operation>& section = random_section(plan, random);
  if (kind == MutationKind::kDrop || kind == MutationKind::kDouble || kind == MutationKind::kSwap) {
    const bool changed = change_order(section, kind, random);
    renumber(plan);
    return changed;
  }
  plan::Operation& operation = section[pick(random, section.size())];
  const plan::Operation before = operation;
  bool changed = false;
  if (kind == MutationKind::kRescale) changed = rescale(operation, random);
  if (kind == MutationKind::kShift) changed = shift(operation, plan, random);
  if (kind == MutationKind::kReplica) changed = change_buffer(operation, plan, random);
  if (changed && valid(operation, plan)) return true;
  operation = before;
  return false;
}

}  // namespace convoy::testing
