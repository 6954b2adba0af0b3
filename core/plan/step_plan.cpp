#include "core/plan/step_plan.hpp"

#include <fmt/format.h>

#include <utility>

#include "core/base/error.hpp"
#include "core/plan/lower/forward_plan.hpp"
#include "core/plan/lower/fuse_updates.hpp"
#include "core/plan/make_plan.hpp"

namespace convoy {

StepPlan::StepPlan(const Cluster& cluster, ArenaMap arena, const PlanAuthor& author,
                   StepPlanOptions options)
    : arena_(std::move(arena)),
      options_(options),
      logical_((options.written_twice ? make_plan : sketch_plan)(author.name, cluster, arena_,
                                                                 author.write)) {}

StepPlan::StepPlan(const Cluster& cluster, ArenaMap arena)
    : arena_(std::move(arena)), logical_(make_forward_plan(cluster, arena_)) {}

const Plan& StepPlan::logical() const {
  CONVOY_CHECK(logical_.has_value());
  return *logical_;
}

void StepPlan::keep_lowered_only() {
  lowered();
  logical_.reset();
}

const CheckReport& StepPlan::check() const {
  if (!check_) check_ = check_plan(logical());
  return *check_;
}

const Plan& StepPlan::lowered() const {
  if (lowered_) return *lowered_;
  const Plan* plan = &logical();
  std::optional<Plan> changed;
  if (options_.guard.changes_plans())
    plan = &changed.emplace(guard(logical(), check(), options_.guard));
  if (plan->cluster->joins_updates) {
    changed = fuse_updates(*plan);
    plan = &*changed;
  }
  return lowered_.emplace(lower(*plan, options_.lowering));
}

const Schedule& StepPlan::schedule() const {
  if (!schedule_) schedule_ = make_schedule(lowered());
  return *schedule_;
}

std::string StepPlan::hash() const {
  return fmt::format("{:016x}", plan_hash(lowered()));
}

}  // namespace convoy
