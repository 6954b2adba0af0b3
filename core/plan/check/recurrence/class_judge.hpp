#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/plan/check/check.hpp"
#include "core/plan/check/recurrence/long_run.hpp"
#include "core/plan/check/recurrence/period_map.hpp"

namespace convoy::check {

struct ClassFinding {
  FindingKind kind = FindingKind::kUnknown;
  std::uint32_t operation = CONVOY_NONE;
  std::uint32_t replica = CONVOY_NONE;
  ElementRange range{};
  std::string what;
};

// The final weights of errors in what one replica reads.
struct ReadNoise {
  std::uint32_t replica = 0;
  std::uint32_t operation = CONVOY_NONE;
  ElementRange range{};
  std::vector<std::pair<AtomId, std::uint64_t>> weights;
};

struct ClassReport {
  std::vector<ClassFinding> findings;
  bool alone = false;            // every replica's gradient reaches that replica only
  double counts = 1;             // every gradient, in the end
  std::uint64_t total = 1;       // the same in the field, as in a mean
  std::uint64_t means_over = 1;  // computes, of which updates take the mean, at most
  // The same of every update of a period, in order, where they are not all the same.
  std::vector<std::uint64_t> uneven_means;
  bool by_itself = false;    // gradients are applied one by one, and undivided is once
  bool counts_once = false;  // exactly
  bool loses = false;        // errors have a final weight
  // Operations that multiply gradients by factors of the run.
  std::set<std::string> factors = {};
  // How often gradients of each compute count, if the only finding is a momentum that begins anew
  // in every period; else empty.
  std::vector<std::uint64_t> restarts;
  std::uint64_t delay = 0;  // periods
  std::vector<ReadNoise> noise;
};

// Judges one class of elements as judge_recurrence() says.
class ClassJudge {
 public:
  ClassJudge(const Plan& plan, const PeriodClass& elements,
             const std::vector<GradientKey>& gradients, const std::vector<LinearApply>& applies,
             const ValueTable& budget)
      : plan_(plan), it_(elements), gradients_(gradients), applies_(applies), budget_(budget) {}

  ClassReport judge();

 private:
  bool fits();
  bool reads_known();
  void require_start();
  void report_start(const PeriodRead& read, const std::vector<Weight>& held);
  std::vector<bool> reached_next(const std::vector<bool>& reached) const;
  bool starts_alike() const;
  void judge_limit(const Limit& limit);
  std::string growing_memory() const;
  void judge_averaging();
  void judge_conserved();
  bool all_equal(const FieldMatrix& weights) const;
  void require_equal(const FieldMatrix& weights);
  bool judge_pulled_back(const std::vector<std::uint64_t>& by_compute);
  std::vector<std::uint64_t> counts_by_compute(const FieldMatrix& weights) const;
  bool trains_alone(const FieldMatrix& weights) const;
  void judge_noise(const PeriodRead& read, const FieldMatrix& row, const FieldMatrix& weights);
  void report_error(const PeriodRead& read, AtomId error, double times);
  void judge_factor(const PeriodRead& read, AtomId product, bool stays);
  std::optional<double> weight_of_source(AtomId error, const FieldMatrix& weights) const;
  void judge_total(const FieldMatrix& weights);
  void take_counts(std::uint64_t counts);
  bool updates_for_each() const;
  bool takes_each_by_itself(std::uint64_t total);
  std::uint64_t computes_of_a_mean(std::uint64_t first) const;
  std::vector<std::uint64_t> computes_of_updates() const;
  std::vector<std::uint64_t> find_uneven_means(const std::vector<std::uint64_t>& counts) const;
  std::uint64_t sources_of_a_mean() const;
  std::uint64_t divisor_of(std::uint64_t compute) const;
  std::uint64_t updates_of_period() const;
  void measure_delay();
  void add(FindingKind kind, const PeriodRead& read, std::uint32_t replica,
           const std::string& what);
  std::uint32_t writer(const PeriodRead& read) const;

  const Plan& plan_;
  const PeriodClass& it_;
  const std::vector<GradientKey>& gradients_;
  const std::vector<LinearApply>& applies_;
  const ValueTable& budget_;
  std::optional<std::vector<std::uint64_t>> conserved_;  // a weight per state
  std::map<AtomId, std::optional<double>> sources_;      // of errors: weight_of_source
  ClassReport report_;
};

// Kinds of findings that leave open whether the plan is right.
bool leaves_open(FindingKind kind);

}  // namespace convoy::check
