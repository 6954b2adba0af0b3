#pragma once

#include <optional>
#include <vector>

#include "core/plan/check/recurrence/matrix_limit.hpp"
#include "core/plan/check/recurrence/period_updates.hpp"
#include "core/plan/check/recurrence/system_report.hpp"

namespace convoy::check {

// Judges one class of elements as judge_recurrence() says.
class SystemJudge {
 public:
  SystemJudge(const Plan& plan, const LinearSystem& system,
              const std::vector<GradientKey>& gradients, const std::vector<LinearApply>& applies,
              const ValueTable& values)
      : plan_(plan),
        system_(system),
        gradients_(gradients),
        applies_(applies),
        values_(values),
        updates_(plan, system, applies, values) {}

  SystemReport judge();

 private:
  bool fits();
  bool reads_known();
  void judge_limit(const Limit& limit);
  void judge_averaging();
  void judge_conserved();
  bool trains_alone(const FieldMatrix& weights) const;
  void measure_delay();

  const Plan& plan_;
  const LinearSystem& system_;
  const std::vector<GradientKey>& gradients_;
  const std::vector<LinearApply>& applies_;
  const ValueTable& values_;
  std::optional<std::vector<std::uint64_t>> stationary_;  // a weight per state
  SystemReport report_;
  PeriodUpdates updates_;
};

}  // namespace convoy::check
