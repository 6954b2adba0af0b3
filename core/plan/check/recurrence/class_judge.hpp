#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/plan/check/recurrence/class_report.hpp"
#include "core/plan/check/recurrence/long_run.hpp"
#include "core/plan/check/recurrence/period_updates.hpp"

namespace convoy::check {

// Judges one class of elements as judge_recurrence() says.
class ClassJudge {
 public:
  ClassJudge(const Plan& plan, const PeriodClass& elements,
             const std::vector<GradientKey>& gradients, const std::vector<LinearApply>& applies,
             const ValueTable& values)
      : plan_(plan),
        it_(elements),
        gradients_(gradients),
        applies_(applies),
        values_(values),
        updates_(plan, elements, applies, values) {}

  ClassReport judge();

 private:
  bool fits();
  bool reads_known();
  void judge_limit(const Limit& limit);
  std::string growing_memory() const;
  std::string fastest_growing() const;
  void judge_averaging();
  void judge_conserved();
  bool all_equal(const FieldMatrix& weights) const;
  void require_equal(const FieldMatrix& weights);
  void report_unequal(const FieldMatrix& weights);
  bool judge_pulled_back(const std::vector<std::uint64_t>& by_compute);
  bool leave_pulled_back_open(const std::vector<std::uint64_t>& by_compute);
  bool is_fair_total(std::uint64_t total) const;
  bool judge_averaged_on_the_way(const std::vector<std::uint64_t>& by_compute);
  bool leave_mixed_open(const std::vector<std::uint64_t>& by_compute);
  std::vector<std::uint64_t> counts_by_compute(const FieldMatrix& weights) const;
  bool trains_alone(const FieldMatrix& weights) const;
  void accept_uneven(const std::vector<std::uint64_t>& by_compute, const std::string& because);
  void judge_total(const FieldMatrix& weights);
  void judge_more_than_once(std::uint64_t total, const char* subject);
  void take_counts(std::uint64_t counts);
  bool takes_each_by_itself(std::uint64_t total);
  std::uint64_t sources_of_a_mean() const;
  std::uint64_t divisor_of(std::uint64_t compute) const;
  std::uint64_t updates_of_period() const;
  void measure_delay();
  void add(FindingKind kind, const PeriodRead& read, std::uint32_t replica,
           const std::string& what);

  const Plan& plan_;
  const PeriodClass& it_;
  const std::vector<GradientKey>& gradients_;
  const std::vector<LinearApply>& applies_;
  const ValueTable& values_;
  std::optional<std::vector<std::uint64_t>> conserved_;  // a weight per state
  ClassReport report_;
  PeriodUpdates updates_;
};

}  // namespace convoy::check
