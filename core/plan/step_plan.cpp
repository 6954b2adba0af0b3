#include "core/plan/step_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/error.hpp"
#include "core/plan/lower/forward_plan.hpp"
#include "core/plan/lower/fuse_updates.hpp"
#include "core/plan/lower/share_scratch.hpp"
#include "core/plan/stages.hpp"

namespace convoy::plan {
namespace {

// Whether both clusters have the same memory at the same places. Engines may address and do
// different things.
bool have_same_places(const Cluster& a, const Cluster& b) {
  const auto is_same = [](const Place& one, const Place& other) {
    return one.kind == other.kind && one.host == other.host && one.replica == other.replica &&
           one.near_place == other.near_place && one.name == other.name;
  };
  return a.hosts == b.hosts && a.replica_place == b.replica_place &&
         std::ranges::equal(a.places, b.places, is_same);
}

}  // namespace

StepPlan::StepPlan(const Cluster& cluster, ArenaMap arena, const PlanAuthor& author,
                   StepPlanOptions options)
    : cluster_(&cluster),
      arena_(std::make_shared<const ArenaMap>(std::move(arena))),
      options_(options),
      logical_(std::make_shared<const PlanSketch>(written(author))) {}

StepPlan::StepPlan(const Cluster& cluster, ArenaMap arena)
    : cluster_(&cluster),
      arena_(std::make_shared<const ArenaMap>(std::move(arena))),
      logical_(
          std::make_shared<const PlanSketch>(PlanSketch{make_forward_plan(cluster, *arena_)})) {}

StepPlan::StepPlan(const StepPlan& like, const Cluster& cluster)
    : cluster_(&cluster), arena_(like.arena_), options_(like.options_), logical_(like.logical_) {}

PlanSketch StepPlan::written(const PlanAuthor& author) const {
  if (options_.written_twice) return make_plan(author.name, *cluster_, *arena_, author.write);
  return sketch_plan(author.name, *cluster_, *arena_, author.write, options_.expected_operations);
}

bool StepPlan::is_also_written_for(const Cluster& cluster, const PlanAuthor& author) const {
  return !options_.guard.changes_plans() && have_same_places(*cluster_, cluster) &&
         writes_the_same(author.name, *logical_, cluster, author.write);
}

void StepPlan::write_again(const PlanAuthor& author) const {
  CONVOY_CHECK(logical_ != nullptr && !options_.written_twice);
  require_same_again(author.name, *logical_, author.write);
}

const Plan& StepPlan::logical() const {
  CONVOY_CHECK(logical_ != nullptr);
  return logical_->plan;
}

void StepPlan::keep_lowered_only() {
  lowered();
  logical_.reset();
}

const check::CheckReport& StepPlan::check() const {
  if (!check_) check_ = check::check_plan(logical());
  return *check_;
}

const Plan& StepPlan::lowered() const {
  if (lowered_) return *lowered_;
  const Plan* plan = &logical();
  std::optional<Plan> guarded;
  if (options_.guard.changes_plans())
    plan = &guarded.emplace(guard(logical(), check(), options_.guard));
  UpdateCounts updates(*plan);
  if (plan->later.empty()) return lowered_.emplace(fused_and_lowered(*plan, updates));
  Plan whole = fused_and_lowered(stage_of(*plan, 0), updates);
  for (std::size_t stage = 1; stage < stage_count(*plan); ++stage) {
    updates.count_stage(*plan, stage - 1);
    append_stage(whole, first_step_of(*plan, stage),
                 share_scratch(whole, fused_and_lowered(stage_of(*plan, stage), updates),
                               plan->buffers.size()));
  }
  return lowered_.emplace(std::move(whole));
}

// Fusing changes neither the spans of updates nor how often they run.
Plan StepPlan::fused_and_lowered(const Plan& stage, const UpdateCounts& before) const {
  if (!cluster_->joins_updates) return lower(stage, *cluster_, options_.lowering, before);
  const bool one_of_several = !logical().later.empty();
  const std::optional<Plan> fused = fuse_updates(stage, *cluster_, one_of_several);
  return lower(fused ? *fused : stage, *cluster_, options_.lowering, before);
}

std::size_t StepPlan::stages() const {
  return stage_count(lowered());
}

const Plan& StepPlan::lowered(std::size_t stage) const {
  CONVOY_CHECK_LT(stage, stages());
  if (stages() == 1) return lowered();
  const auto known = of_stages_.find(stage);
  if (known != of_stages_.end()) return known->second;
  return of_stages_.emplace(stage, stage_of(lowered(), stage)).first->second;
}

const Schedule& StepPlan::schedule(std::size_t stage) const {
  const auto known = schedules_.find(stage);
  if (known != schedules_.end()) return known->second;
  return schedules_.emplace(stage, make_schedule(lowered(stage))).first->second;
}

const std::string& StepPlan::hash() const {
  if (hash_.empty()) hash_ = fmt::format("{:016x}", plan_hash(lowered()));
  return hash_;
}

}  // namespace convoy::plan
