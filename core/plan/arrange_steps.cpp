#include "core/plan/arrange_steps.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "core/base/error.hpp"
#include "core/plan/schedule/dependencies.hpp"

namespace convoy::plan {
namespace {

constexpr std::uint32_t kAnyStep = 0xffffffffu;

// Per operation: the step of the period to which a compute belongs, kAnyStep for all others.
std::vector<std::uint32_t> steps_of_computes(const Plan& plan) {
  std::vector<std::uint32_t> forwards(plan.cluster->replicas(), 0);
  std::vector<std::uint32_t> steps;
  steps.reserve(plan.body.size());
  for (const Operation& it : plan.body) {
    if (it.kind == OperationKind::kForward && it.first_layer == 0) ++forwards[it.replica];
    const bool computes = is_compute(it.kind) && forwards[it.replica] > 0;
    steps.push_back(computes ? forwards[it.replica] - 1 : kAnyStep);
  }
  return steps;
}

bool is_in_order(const std::vector<std::uint32_t>& steps_of_computes) {
  std::uint32_t latest = 0;
  for (const std::uint32_t step : steps_of_computes) {
    if (step == kAnyStep) continue;
    if (step < latest) return false;
    latest = step;
  }
  return true;
}

[[noreturn]] void refuse(const Plan& plan, std::uint32_t compute, std::uint32_t before,
                         std::uint32_t step, std::uint32_t later) {
  const Operation& it = plan.body[compute];
  fail(ExitCode::kFailed,
       "the {} of replica {} in step {} of the period depends on operation {} ({}), which belongs "
       "to step {}; write the plan step by step: all replicas' first steps before the second of "
       "any",
       operation_name(it.kind), it.replica, step + 1, before,
       operation_name(plan.body[before].kind), later + 1);
}

// Other operations belong to the latest step of what they wait for.
std::vector<std::uint32_t> steps_of_all(const Plan& plan, std::vector<std::uint32_t> steps) {
  const DependencyLists dependencies = find_dependencies(plan);
  for (std::uint32_t i = 0; i < steps.size(); ++i) {
    std::uint32_t latest = 0;
    std::uint32_t before = 0;
    for (const Dependency& it : dependencies.strict(i))
      if (it.distance == 0 && steps[it.before] > latest) latest = steps[before = it.before];
    if (steps[i] == kAnyStep)
      steps[i] = latest;
    else if (latest > steps[i])
      refuse(plan, i, before, steps[i], latest);
  }
  return steps;
}

}  // namespace

void arrange_steps(Plan& plan) {
  std::vector<std::uint32_t> steps = steps_of_computes(plan);
  if (is_in_order(steps)) return;
  steps = steps_of_all(plan, std::move(steps));
  std::vector<std::uint32_t> order(steps.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t i) { return steps[i]; });
  std::vector<Operation> body;
  body.reserve(order.size());
  for (const std::uint32_t i : order) body.push_back(std::move(plan.body[i]));
  plan.body = std::move(body);
}

}  // namespace convoy::plan
