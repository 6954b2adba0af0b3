#include "core/plan/print/print.hpp"

#include <fmt/format.h>

#include <ostream>

#include "core/base/text/counted.hpp"
#include "core/plan/stages.hpp"

namespace convoy::plan {
namespace {

std::string span_list(const Plan& plan, std::span<const PlanSpan> spans) {
  std::string text;
  for (const PlanSpan& span : spans) text += (text.empty() ? "" : ", ") + plan.span_name(span);
  return text;
}

// " 3x4 by 4x2": the factors of a product. A t marks a factor that is stored transposed.
std::string product_of(const Operation& it) {
  const auto mark = [&](std::uint32_t flag) { return (it.flags & flag) != 0 ? "t" : ""; };
  const std::string batch =
      it.details->sizes[3] > 1 ? fmt::format(" {} times", it.details->sizes[3]) : std::string();
  return fmt::format("{} {}x{}{} by {}x{}{}", batch, it.details->sizes[0], it.details->sizes[2],
                     mark(CONVOY_OP_TRANSPOSES_A), it.details->sizes[2], it.details->sizes[1],
                     mark(CONVOY_OP_TRANSPOSES_B));
}

// " of 655", " in 4 bits, 256 per scale, 8 messages".
std::string message_details(const Operation& it) {
  if (it.kind == OperationKind::kTopK) return fmt::format(" of {}", it.writes.front().count);
  const auto messages = [](std::uint64_t count) { return counted(count, "message"); };
  if (it.kind == OperationKind::kScatter) return fmt::format(" {}", messages(it.details->sizes[0]));
  std::string text = it.details->sizes[0] == CONVOY_CODE_SIGN
                         ? " in signs"
                         : fmt::format(" in {} bits", it.details->sizes[0]);
  text += fmt::format(", {} per scale", it.details->sizes[1]);
  if (it.kind == OperationKind::kDequantise) text += ", " + messages(it.details->sizes[2]);
  return text;
}

std::string details(const Operation& it) {
  std::string text;
  if (it.kind == OperationKind::kFill || it.kind == OperationKind::kScale ||
      it.kind == OperationKind::kAxpy)
    text += fmt::format(" by {}", it.scalar);
  if (it.kind == OperationKind::kApply || it.kind == OperationKind::kNorm)
    text += fmt::format(" of {}", it.contributions);
  if ((it.flags & CONVOY_OP_NORMED) != 0 && it.scalar > 0)
    text += fmt::format(" clipped to norm {}", it.scalar);
  if ((it.flags & CONVOY_OP_SKIP_NON_FINITE) != 0) text += " if finite";
  if (it.kind == OperationKind::kAdaptLossScale)
    text += fmt::format(" doubling after {}", it.details->sizes[0]);
  if (is_compression(it.kind)) text += message_details(it);
  if (it.kind == OperationKind::kCall) text += fmt::format(" {}", it.details->kernel);
  if (is_compute(it.kind))
    text += fmt::format(" replica {} layers [{}..{})", it.replica, it.first_layer,
                        it.first_layer + it.layer_count);
  if (it.kind == OperationKind::kDivide) text += fmt::format(" or {}", it.scalar);
  if (it.kind == OperationKind::kMatmul) text += product_of(it);
  if (it.kind == OperationKind::kOrthogonalise)
    text += fmt::format(" {}x{}", it.details->sizes[0], it.details->sizes[1]);
  if ((it.flags & CONVOY_OP_RELAXED_READS) != 0) text += " relaxed";
  if ((it.flags & CONVOY_OP_ANY_ORDER) != 0) text += " in any order";
  if (it.priority != 0) text += fmt::format(" priority {}", it.priority);
  return text;
}

std::string place_of(const Plan& plan, const Operation& operation, bool lowered) {
  if (operation.place == CONVOY_NONE) return "-";
  const std::string& place = plan.cluster->places[operation.place].name;
  if (lowered && operation.lane == kNetworkLane) {
    const auto name = [&](const PlanSpan& span) {
      return plan.cluster->places[plan.place_of(span)].name;
    };
    return fmt::format("{} to {}", name(operation.reads.front()), name(operation.writes.front()));
  }
  return lowered ? fmt::format("{} {}", place, lane_name(operation.lane)) : place;
}

std::string_view name_of(const Operation& operation, bool lowered) {
  if (lowered && operation.lane == kNetworkLane) return "send and receive";
  return operation_name(operation.kind);
}

std::string waits_of(const Plan& plan, const Schedule& schedule, std::size_t index) {
  std::string text;
  for (const LaneWait& wait : schedule.operations[index].waits) {
    const std::uint32_t before = schedule.lanes[wait.lane].operations[wait.position];
    text += fmt::format(" #{}", plan.body[before].id);
    if (wait.distance > 0) text += fmt::format("@{}", wait.distance);
  }
  return text.empty() ? text : "  waits" + text;
}

std::string what_of(const Plan& plan, const Operation& operation, bool lowered) {
  std::string spans = span_list(plan, operation.writes);
  if (!operation.reads.empty())
    spans += fmt::format("{}<- {}", spans.empty() ? "" : " ", span_list(plan, operation.reads));
  return fmt::format("{}{}: {}", name_of(operation, lowered), details(operation), spans);
}

void print_operation(std::ostream& out, const Plan& plan, const Operation& operation, bool lowered,
                     const std::string& waits) {
  const std::string variables = operation_variables(plan, operation);
  out << fmt::format("  {:>5}  {:<20} {}{}{}\n", fmt::format("#{}", operation.id),
                     place_of(plan, operation, lowered), what_of(plan, operation, lowered),
                     variables.empty() ? "" : fmt::format("  ({})", variables), waits);
}

std::string stage_heading(const Plan& plan, std::size_t stage) {
  return fmt::format("from step {} on\n", first_step_of(plan, stage));
}

bool is_arena(const PlanBuffer& buffer) {
  return buffer.kind <= CONVOY_BUFFER_MASTER;
}

}  // namespace

std::string operation_line(const Plan& plan, const Operation& operation) {
  return what_of(plan, operation, false);
}

std::string operation_variables(const Plan& plan, const Operation& operation) {
  for (const auto* spans : {&operation.writes, &operation.reads})
    for (const PlanSpan& span : *spans) {
      if (!is_arena(plan.buffers[span.buffer])) continue;
      const std::string first = plan.arena->variable_at(span.first);
      const std::string last = plan.arena->variable_at(span.first + span.count - 1);
      return first == last ? first : fmt::format("{} to {}", first, last);
    }
  return {};
}

void print_plan(std::ostream& out, const Plan& plan, const Schedule* schedule) {
  const bool lowered = schedule != nullptr;
  out << fmt::format(
      "{} plan: {}, {} buffers, {} operations before the first step and "
      "{} in every {}\n",
      lowered ? "lowered" : "logical", counted(plan.cluster->replicas(), "replica"),
      plan.buffers.size(), plan.prologue.size(), plan.body.size(),
      plan.computes == 1 ? "step" : fmt::format("{} steps", plan.computes));
  if (!plan.prologue.empty()) out << "prologue\n";
  for (const Operation& operation : plan.prologue)
    print_operation(out, plan, operation, lowered, {});
  for (std::size_t i = 0; i < plan.body.size(); ++i) {
    const std::uint32_t phase = plan.body[i].phase;
    if (i == 0 || phase != plan.body[i - 1].phase)
      out << (plan.computes == 1 ? "body\n" : fmt::format("body, step {}\n", phase + 1));
    print_operation(out, plan, plan.body[i], lowered,
                    lowered ? waits_of(plan, *schedule, i) : std::string());
  }
  for (std::size_t stage = 1; stage < stage_count(plan); ++stage) {
    out << stage_heading(plan, stage);
    print_plan(out, stage_of(plan, stage));
  }
}

void print_lowered(std::ostream& out, const StepPlan& plan) {
  for (std::size_t stage = 0; stage < plan.stages(); ++stage) {
    if (stage > 0) out << stage_heading(plan.lowered(), stage);
    print_plan(out, plan.lowered(stage), &plan.schedule(stage));
  }
}

}  // namespace convoy::plan
