#pragma once

#include <string>
#include <vector>

#include "core/plan/check/recurrence/matrix_limit.hpp"
#include "core/plan/check/recurrence/period_updates.hpp"
#include "core/plan/check/recurrence/system_report.hpp"

namespace convoy::check {

// Judges whether all gradients of a period count equally often in everything that is read. If those
// of different computes do not, it looks for the reason, and accepts reasons that prove that the
// plan intends it.
class EqualityJudge {
 public:
  EqualityJudge(const Plan& plan, const PeriodClass& elements,
                const std::vector<GradientKey>& gradients, const PeriodUpdates& updates,
                const ValueTable& values, ClassReport& report)
      : plan_(plan),
        it_(elements),
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
  bool judge_pulled_back(const std::vector<std::uint64_t>& by_compute);
  bool leave_pulled_back_open(const std::vector<std::uint64_t>& by_compute);
  bool is_fair_total(std::uint64_t total) const;
  bool judge_averaged_on_the_way(const std::vector<std::uint64_t>& by_compute);
  bool leave_mixed_open(const std::vector<std::uint64_t>& by_compute);
  void accept_uneven(const std::vector<std::uint64_t>& by_compute, const std::string& because);
  void report_unequal(const FieldMatrix& weights);

  const Plan& plan_;
  const PeriodClass& it_;
  const std::vector<GradientKey>& gradients_;
  const PeriodUpdates& updates_;
  const ValueTable& values_;
  ClassReport& report_;
};

}  // namespace convoy::check
