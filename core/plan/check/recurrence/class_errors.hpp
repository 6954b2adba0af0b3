#pragma once

#include <map>
#include <optional>
#include <vector>

#include "core/plan/check/recurrence/class_report.hpp"
#include "core/plan/check/recurrence/long_run.hpp"

namespace convoy::check {

// Judges the errors of casts and compressors in what replicas read in the end: an error that is
// never brought back counts once, and one that is brought back does not count.
class ErrorJudge {
 public:
  ErrorJudge(const Plan& plan, const PeriodClass& elements,
             const std::vector<GradientKey>& gradients, const ValueTable& values,
             ClassReport& report)
      : plan_(plan), elements_(elements), gradients_(gradients), values_(values), report_(report) {}

  // `errors` has the final weights of errors in what is read, `weights` those of gradients.
  void judge(const PeriodRead& read, const FieldMatrix& errors, const FieldMatrix& weights);

 private:
  void judge_factor(const PeriodRead& read, AtomId product, bool stays);
  void report_kept_out(const PeriodRead& read, AtomId error);
  void require_equal_rests(const PeriodRead& read, const FieldMatrix& errors);
  void require_once(const PeriodRead& read, AtomId error, double times);
  std::optional<double> weight_of_source(AtomId error, const FieldMatrix& weights) const;

  const Plan& plan_;
  const PeriodClass& elements_;
  const std::vector<GradientKey>& gradients_;
  const ValueTable& values_;
  ClassReport& report_;
  std::map<AtomId, std::optional<double>> sources_;  // weight_of_source() of errors
};

}  // namespace convoy::check
