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

// Tells the operations of a body, in their order, the step of the period to which they belong.
class ComputeSteps {
 public:
  explicit ComputeSteps(const Plan& plan) : forwards_(plan.cluster->replicas(), 0) {}

  // kAnyStep if the operation does not compute.
  std::uint32_t next(const Operation& it) {
    if (it.kind == OperationKind::kForward && it.first_layer == 0) ++forwards_[it.replica];
    return is_compute(it.kind) && forwards_[it.replica] > 0 ? forwards_[it.replica] - 1 : kAnyStep;
  }

 private:
  std::vector<std::uint32_t> forwards_;  // per replica
};

bool is_in_order(const Plan& plan) {
  ComputeSteps steps(plan);
  std::uint32_t latest = 0;
  for (const Operation& it : plan.body) {
    const std::uint32_t step = steps.next(it);
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

// Operations that do not compute belong to the latest step of what they wait for.
std::vector<std::uint32_t> steps_of(const Plan& plan) {
  const DependencyLists dependencies = find_dependencies(plan);
  ComputeSteps computes(plan);
  std::vector<std::uint32_t> steps;
  steps.reserve(plan.body.size());
  for (std::uint32_t i = 0; i < plan.body.size(); ++i) {
    std::uint32_t latest = 0;
    std::uint32_t before = 0;
    for (const Dependency& it : dependencies.strict(i)) {
      if (it.distance > 0 || steps[it.before] <= latest) continue;
      before = it.before;
      latest = steps[before];
    }
    const std::uint32_t own = computes.next(plan.body[i]);
    if (own != kAnyStep && latest > own) refuse(plan, i, before, own, latest);
    steps.push_back(own == kAnyStep ? latest : own);
  }
  return steps;
}

}  // namespace

void arrange_steps(Plan& plan) {
  if (is_in_order(plan)) return;
  const std::vector<std::uint32_t> steps = steps_of(plan);
  std::vector<std::uint32_t> order(steps.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t i) { return steps[i]; });
  std::vector<Operation> body;
  body.reserve(order.size());
  for (const std::uint32_t i : order) body.push_back(std::move(plan.body[i]));
  plan.body = std::move(body);
}

}  // namespace convoy::plan
