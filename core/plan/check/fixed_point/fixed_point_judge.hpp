#pragma once

#include "core/plan/check/fixed_point/update_history.hpp"

namespace convoy::check {

// Derives the verdict from what every forward has read, once the run repeats itself.
class FixedPointJudge {
 public:
  // The recurrence that the run is compared with adds values to the run, but no steps.
  FixedPointJudge(const Plan& plan, SymbolicRun& run)
      : plan_(plan), run_(run), history_(plan, run) {}

  // The state repeats, or else all that is said is whether the plan is sound as far as that shows.
  CheckReport judge(bool settled);

  // After judge(): the recurrence of the plan may say more, or is to be taken whatever it says.
  bool recurrence_may_decide() const { return recurrence_may_decide_; }
  bool recurrence_decides() const { return recurrence_decides_; }
  bool asynchronous_by_request() const;

 private:
  void judge_repeating();
  void take_sharpness_aware();
  void choose_decider();
  bool replicas_read_alike() const;
  bool updates_once_a_step() const;
  void require_no_drift();
  void require_equal_computes();
  void require_count(std::uint32_t replica, OperationKind kind, std::uint64_t count,
                     std::uint64_t wanted);
  void read_everything();
  void require_written();
  void require_unchanged(const ForwardRead& read);
  void measure_lags();
  void require_progress();
  void require_progress(const ForwardRead& before, const ForwardRead& now);
  bool every_replica_alone() const;
  Verdict name_verdict();
  Verdict name_full_mean();
  bool update_in_turns();
  bool ends_update(std::uint64_t step) const;
  bool follows_recurrence();
  std::vector<ContentId> recurrence(std::uint64_t steps);
  std::uint32_t last_operation_of(std::uint32_t replica, OperationKind kind) const;
  ElementRange arena() const { return {0, plan_.arena->elements}; }

  const Plan& plan_;
  SymbolicRun& run_;
  UpdateHistory history_;
  CheckReport report_;
  bool recurrence_may_decide_ = false;
  bool recurrence_decides_ = false;
  bool shared_ = false;   // some forward reads updates with another replica's gradient
  bool partial_ = false;  // some forward read a part of a step's gradients
  bool lagging_ = false;  // some forward read parameters that miss more than accumulation explains
  std::int64_t staleness_ = 0;  // computes whose gradients a forward does not see, at most
  std::set<std::uint64_t> updates_per_step_;
  std::set<std::pair<std::uint64_t, std::uint64_t>>
      seen_;                                              // a forward's compute, and those it sees
  std::set<std::pair<ContentId, ContentId>> progressed_;  // of a period before and of now
  // (reader, source): the replica whose gradients never reach the reader's parameters, found where.
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::pair<std::uint32_t, ElementRange>> absent_;
};

}  // namespace convoy::check
