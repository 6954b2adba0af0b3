#include "core/plan/check/simplify/reduced_plan.hpp"

#include <utility>

#include "core/base/process/large_pages.hpp"

namespace convoy::plan::check {

std::unique_ptr<ReducedPlan> ReducedPlan::over_all(const Plan& whole) {
  auto result = std::make_unique<ReducedPlan>();
  result->plan.cluster = whole.cluster;
  result->plan.arena = whole.arena;
  result->plan.computes = whole.computes;
  return result;
}

void ReducedPlan::reserve(std::size_t count) {
  reserve_large(operations, count);
  reserve_large(plan.body, count);
}

Operation& ReducedPlan::append(Operation operation, std::vector<Operation>& section) {
  Operation& made = section.emplace_back(std::move(operation));
  operations.push_back(made.id);
  made.id = made.source = static_cast<std::uint32_t>(operations.size() - 1);
  return made;
}

void ReducedPlan::take_buffers(const Plan& whole) {
  std::vector<std::uint32_t> numbers(whole.buffers.size(), CONVOY_NONE);
  const auto for_each_span = [&](auto visit) {
    for (auto* section : {&plan.prologue, &plan.body})
      for (Operation& operation : *section)
        for (auto* spans : {&operation.reads, &operation.writes})
          for (PlanSpan& span : *spans) visit(span);
  };
  for_each_span([&](const PlanSpan& span) { numbers[span.buffer] = 0; });
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] == CONVOY_NONE && whole.buffers[i].kind == CONVOY_BUFFER_SCRATCH) continue;
    numbers[i] = static_cast<std::uint32_t>(plan.buffers.size());
    plan.buffers.push_back(whole.buffers[i]);
  }
  for_each_span([&](PlanSpan& span) { span.buffer = numbers[span.buffer]; });
}

}  // namespace convoy::plan::check
