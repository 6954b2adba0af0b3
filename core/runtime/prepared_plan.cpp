#include "core/runtime/prepared_plan.hpp"

#include <fmt/format.h>

#include "core/plan/schedule/live_ranges.hpp"
#include "core/plan/stages.hpp"

namespace convoy::runtime {

std::set<std::uint32_t> loss_scale_buffers(const Plan& lowered) {
  std::set<std::uint32_t> buffers;
  for (const std::vector<Operation>* body : bodies_of(lowered))
    for (const Operation& operation : *body)
      if ((operation.flags & CONVOY_OP_LOSS_SCALED) != 0)
        buffers.insert(loss_scale_span(operation).buffer);
  return buffers;
}

PlanAuthor author_of(StrategyPlugin& strategy) {
  return {strategy.manifest().name,
          [&strategy](const convoy_planner& planner) { strategy.plan(planner); }};
}

HostKernel host_kernel_of(StrategyPlugin& strategy, const std::string& name) {
  const std::optional<convoy_kernel> kernel = strategy.kernel(name, CONVOY_KERNEL_HOST);
  return kernel ? HostKernel(*kernel) : HostKernel();
}

std::string why_not_exchangeable(const PreparedPlan& plan) {
  if (plan.step.check().verdict != Verdict::kSynchronous)
    return fmt::format("it is {}, and only synchronous steps can follow each other's",
                       plan.step.check().verdict_text());
  if (plan.step.stages() > 1) return "its plan changes during training";
  if (plan.step.lowered().computes != 1)
    return fmt::format("its plan takes turns over {} steps", plan.step.lowered().computes);
  const std::set<std::uint32_t> handed_over = loss_scale_buffers(plan.step.lowered());
  const auto live = live_ranges(plan.step.lowered(), 0);
  for (std::uint32_t i = 0; i < live.size(); ++i) {
    const bool values = plan.step.lowered().buffers[i].is_of_model();
    if (!live[i].empty() && !values && !handed_over.contains(i))
      return fmt::format("its plan keeps {} from step to step", plan.step.lowered().buffer_name(i));
  }
  return {};
}

}  // namespace convoy::runtime
