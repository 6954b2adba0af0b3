#pragma once

#include <string>
#include <vector>

#include "core/plan/check/recurrence/field_matrix.hpp"
#include "core/plan/check/recurrence/period_updates.hpp"
#include "core/plan/check/recurrence/system_report.hpp"

namespace convoy::check {

// Judges whether all gradients of a period count equally often in everything that is read. If those
// of different computes do not, it looks for the reason, and accepts reasons that prove that the
// plan intends it.
class EqualWeightsJudge {
 public:
  EqualWeightsJudge(const Plan& plan, const LinearSystem& system,
                    const std::vector<GradientKey>& gradients, const PeriodUpdates& updates,
                    const ValueTable& values, SystemReport& report)
      : plan_(plan),
        system_(system),
        gradients_(gradients),
        updates_(updates),
        values_(values),
        report_(report) {}

  // The final weight of each gradient (column) in each value that is read (row), or in one row for
  // all that is read. Findings and accepted reasons go to the report.
  void require(const FieldMatrix& weights);

 private:
  bool all_equal(const FieldMatrix& weights) const;
  std::vector<std::uint64_t> counts_by_compute(const FieldMatrix& weights) const;
  bool judge_proximal_pull(const std::vector<std::uint64_t>& by_compute);
  bool leave_proximal_pull_open(const std::vector<std::uint64_t>& by_compute);
  bool is_fair_total(std::uint64_t total) const;
  bool judge_averaged_iterates(const std::vector<std::uint64_t>& by_compute);
  bool leave_mixed_open(const std::vector<std::uint64_t>& by_compute);
  void accept_uneven(const std::vector<std::uint64_t>& by_compute, const std::string& because);
  void report_unequal(const FieldMatrix& weights);

  const Plan& plan_;
  const LinearSystem& system_;
  const std::vector<GradientKey>& gradients_;
  const PeriodUpdates& updates_;
  const ValueTable& values_;
  SystemReport& report_;
};

}  // namespace convoy::check
