#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "core/plan/check/check.hpp"
#include "core/plan/lower/guard.hpp"
#include "core/plan/lower/lower.hpp"
#include "core/plan/make_plan.hpp"
#include "core/plan/plan.hpp"
#include "core/plan/schedule/schedule.hpp"

namespace convoy::plan {

// The author of a plan: a name for messages, and the function that writes it with a planner.
struct PlanAuthor {
  std::string name;
  std::function<void(const convoy_planner&)> write;
};

struct StepPlanOptions {
  GuardOptions guard = {};  // operations that the host adds around updates
  LoweringOptions lowering = {};
  // The author writes a second time, and both plans must be equal. Not needed for plans that are
  // only compared with others, because the chosen one is written again.
  bool written_twice = true;
  // For plans that are written once: about how many operations they have, 0 if that is not known.
  std::uint64_t expected_operations = 0;
};

// The only path from a strategy to the plan that runs. The plan is written, guarded, fused if the
// cluster's devices join updates, lowered and scheduled. Training, `plan`, `check`, `simulate`,
// `compare` and `auto` all use it, so that equal inputs give equal plans. Pure: equal on every
// host. Parts are made on first use, by one thread at a time. The object cannot be moved, because
// its parts point to each other.
class StepPlan {
 public:
  // The plan that the author writes for this cluster, which must outlive it. Error as make_plan().
  StepPlan(const Cluster& cluster, ArenaMap arena, const PlanAuthor& author,
           StepPlanOptions options = {});
  // The plan of inference, see make_forward_plan().
  StepPlan(const Cluster& cluster, ArenaMap arena);
  // Shares the plan of `like`, see is_also_written_for(). Both clusters must outlive this object.
  StepPlan(const StepPlan& like, const Cluster& cluster);
  StepPlan(const StepPlan&) = delete;
  StepPlan& operator=(const StepPlan&) = delete;

  // Lets the author of a plan that was written once write it again. Error as make_plan() if the
  // second plan differs. May run at the same time as lowered().
  void write_again(const PlanAuthor& author) const;

  // Whether the author writes the same plan for this cluster, so that the cluster can share it:
  // plans for many devices are large. Only for clusters with the same places and replicas, and if
  // the host adds nothing to plans. Error as make_plan() for this cluster.
  bool is_also_written_for(const Cluster& cluster, const PlanAuthor& author) const;

  // The plan as the author wrote it. Not available after keep_lowered_only().
  const Plan& logical() const;
  // The checker's report on that plan.
  const check::CheckReport& check() const;
  // The lowered plan with all stages. Error kUsage as guard().
  const Plan& lowered() const;
  // The lowered plan of one stage, counted from 0, as an independent plan.
  std::size_t stages() const;
  const Plan& lowered(std::size_t stage) const;
  // The last stage, which has no end.
  const Plan& lasting() const { return lowered(stages() - 1); }
  // Returns how the lowered plan of that stage runs.
  const Schedule& schedule(std::size_t stage = 0) const;
  // The hash of the lowered plan, 16 hexadecimal digits; equal plans have equal hashes.
  const std::string& hash() const;

  // Makes the lowered plan and frees the author's, because plans for thousands of devices are
  // large.
  void keep_lowered_only();

  // Uses an existing proof instead of a new one. It must be for a plan by the same author that
  // differs only in its buckets or is for fewer hosts. Requires that guard.changes_plans() is
  // false.
  void take_check(const check::CheckReport& report) { check_ = report; }

 private:
  PlanSketch written(const PlanAuthor& author) const;
  Plan fused_and_lowered(const Plan& stage, const UpdateCounts& before) const;

  const Cluster* cluster_;
  std::shared_ptr<const ArenaMap> arena_;
  StepPlanOptions options_;
  std::shared_ptr<const PlanSketch> logical_;
  mutable std::optional<check::CheckReport> check_;
  mutable std::optional<Plan> lowered_;
  mutable std::string hash_;
  mutable std::map<std::size_t, Plan> of_stages_;  // stages used so far, if there are several
  mutable std::map<std::size_t, Schedule> schedules_;
};

}  // namespace convoy::plan
