#pragma once

#include <vector>

#include "core/plan/check/recurrence/field_matrix.hpp"
#include "core/plan/check/recurrence/period_updates.hpp"
#include "core/plan/check/recurrence/system_report.hpp"

namespace convoy::check {

// Judges how often every gradient counts in the end, where all count equally often or each reaches
// its own replica only: once, as in a mean, unless momentum or averaged parameters explain more or
// less.
class TotalWeightJudge {
 public:
  TotalWeightJudge(const Plan& plan, const LinearSystem& system,
                   const std::vector<GradientKey>& gradients, const PeriodUpdates& updates,
                   SystemReport& report)
      : plan_(plan), system_(system), gradients_(gradients), updates_(updates), report_(report) {}

  // The final weights, as EqualWeightsJudge::require() takes them. Findings go to the report, and
  // so do the counts.
  void judge(const FieldMatrix& weights);

 private:
  void judge_more_than_once(std::uint64_t total, const char* subject);
  void take_counts(std::uint64_t counts);
  bool takes_each_by_itself(std::uint64_t total);
  std::uint64_t sources_of_a_mean() const;
  std::uint64_t divisor_of(std::uint64_t compute) const;
  std::uint64_t updates_of_period() const;

  const Plan& plan_;
  const LinearSystem& system_;
  const std::vector<GradientKey>& gradients_;
  const PeriodUpdates& updates_;
  SystemReport& report_;
};

}  // namespace convoy::check
