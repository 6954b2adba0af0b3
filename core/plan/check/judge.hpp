#pragma once

#include "core/plan/check/audit.hpp"

namespace convoy::check {

// Reads the verdict off what every forward has read, once the run repeats itself.
class Judge {
 public:
  // The run is continued only on paper: it lends its values to the recurrence that it is compared
  // with.
  Judge(const Plan& plan, SymbolicRun& run) : plan_(plan), run_(run), audit_(plan, run) {}

  CheckReport judge(bool settled);

 private:
  void require_equal_computes();
  void require_count(std::uint32_t replica, OperationKind kind, std::uint64_t count,
                     std::uint64_t wanted);
  void read_everything();
  void measure_lags();
  void require_progress();
  void require_progress(const ForwardRead& before, const ForwardRead& now);
  bool every_replica_alone() const;
  Verdict name_verdict();
  Verdict name_full_mean();
  bool follows_recurrence();
  std::vector<ContentId> recurrence(std::uint64_t steps);
  bool asynchronous_by_request() const;
  std::uint32_t operation_of(std::uint32_t replica, OperationKind kind) const;
  ElementRange arena() const { return {0, plan_.arena->elements}; }

  const Plan& plan_;
  SymbolicRun& run_;
  Audit audit_;
  CheckReport report_;
  bool partial_ = false;  // some forward read a part of a step's gradients
  bool lagging_ = false;  // some forward read parameters that miss more than accumulation explains
  std::int64_t staleness_ = 0;  // computes whose gradients a forward does not see, at most
  std::set<std::uint64_t> updates_per_step_;
  std::set<std::pair<ContentId, ContentId>> progressed_;  // of a period before and of now
  // (reader, source): the replica whose gradients never reach the reader's parameters, found where.
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::pair<std::uint32_t, ElementRange>> absent_;
};

}  // namespace convoy::check
