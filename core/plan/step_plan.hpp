#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "core/plan/check/check.hpp"
#include "core/plan/lower/guard.hpp"
#include "core/plan/lower/lower.hpp"
#include "core/plan/plan.hpp"
#include "core/plan/schedule/schedule.hpp"

namespace convoy {

// The author of a plan: a name for messages, and the function that writes it with a planner.
struct PlanAuthor {
  std::string name;
  std::function<void(const convoy_planner&)> write;
};

struct StepPlanOptions {
  GuardOptions guard = {};  // what the host adds around updates
  LoweringOptions lowering = {};
  // The author writes a second time, and both plans must be equal. Not needed for plans that are
  // only compared with others: whichever is taken is written again.
  bool written_twice = true;
};

// The one way from what a strategy writes to what runs: written, guarded, fused where the cluster's
// devices join updates, lowered, scheduled. Training, `plan`, `check`, `simulate`, `compare` and
// `auto` all go this way, so that equal inputs mean equal plans. Pure: equal on every host.
// Parts are made when they are first asked for, by one thread at a time. It stays where it is,
// because its parts point to each other.
class StepPlan {
 public:
  // What the author writes for this cluster, which must outlive the plan. Error as make_plan().
  StepPlan(const Cluster& cluster, ArenaMap arena, const PlanAuthor& author,
           StepPlanOptions options = {});
  // The plan of inference, see make_forward_plan().
  StepPlan(const Cluster& cluster, ArenaMap arena);
  StepPlan(const StepPlan&) = delete;
  StepPlan& operator=(const StepPlan&) = delete;

  // As the author wrote it, until it is let go of.
  const Plan& logical() const;
  // What the checker proves of that.
  const CheckReport& check() const;
  // What runs, in all stages. Error kUsage as guard().
  const Plan& lowered() const;
  // Most plans have one stage. `stage` counts from 0; what runs in it, as a plan by itself.
  std::size_t stages() const;
  const Plan& lowered(std::size_t stage) const;
  // The stage that goes on for ever.
  const Plan& lasting() const { return lowered(stages() - 1); }
  // How that runs.
  const Schedule& schedule(std::size_t stage = 0) const;
  // The hash of the lowered plan, 16 hexadecimal digits: equal where the same runs.
  std::string hash() const;

  // Makes what runs and frees what the author wrote: plans for thousands of devices are large.
  void keep_lowered_only();

  // Spares the proof: that of a plan by the same author which differs in its buckets alone, or is
  // for fewer hosts, where guard.changes_plans() is false.
  void take_check(const CheckReport& report) { check_ = report; }

 private:
  Plan fused_and_lowered(const Plan& plan) const;

  ArenaMap arena_;
  StepPlanOptions options_;
  std::optional<Plan> logical_;
  mutable std::optional<CheckReport> check_;
  mutable std::optional<Plan> lowered_;
  mutable std::map<std::size_t, Plan> of_stages_;  // of several: those that were asked for
  mutable std::map<std::size_t, Schedule> schedules_;
};

}  // namespace convoy
