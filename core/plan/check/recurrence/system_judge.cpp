#include "core/plan/check/recurrence/system_judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "core/plan/check/recurrence/core_states.hpp"
#include "core/plan/check/recurrence/equal_weights.hpp"
#include "core/plan/check/recurrence/error_feedback.hpp"
#include "core/plan/check/recurrence/impulse_response.hpp"
#include "core/plan/check/recurrence/matrix_limit.hpp"
#include "core/plan/check/recurrence/opaque_effects.hpp"
#include "core/plan/check/recurrence/reachable_subspace.hpp"
#include "core/plan/check/recurrence/stationary_distribution.hpp"
#include "core/plan/check/recurrence/total_weight.hpp"
#include "core/plan/check/recurrence/zero_input_response.hpp"

namespace convoy::plan::check {
namespace {

constexpr std::size_t kMostStates = 256;
constexpr std::size_t kFewStates = 32;  // up to this number, matrices are as quick as any other
                                        // method

// Runs a power iteration. Returns the author's memory with the largest part in what grows most.
std::string fastest_growing(const Plan& plan, const LinearSystem& system) {
  constexpr int kPeriods = 64;
  std::vector<double> sizes(system.states.size());
  for (std::size_t i = 0; i < sizes.size(); ++i) sizes[i] = 1 + 1 / (static_cast<double>(i) + 3);
  for (int period = 0; period < kPeriods; ++period) {
    std::vector<double> next(sizes.size(), 0.0);
    for (std::size_t i = 0; i < sizes.size(); ++i)
      for (const Addend& it : system.step[i]) next[i] += it.weight.value * sizes[it.index];
    const double largest =
        std::fabs(*std::ranges::max_element(next, {}, [](double size) { return std::fabs(size); }));
    if (!(largest > 0)) return "";
    for (double& size : next) size /= largest;
    sizes = std::move(next);
  }
  std::size_t found = sizes.size();
  for (std::size_t i = 0; i < sizes.size(); ++i)
    if (plan.buffers[system.states[i].buffer].kind == CONVOY_BUFFER_PERSISTENT &&
        std::fabs(sizes[i]) > (found < sizes.size() ? std::fabs(sizes[found]) : 1e-6))
      found = i;
  if (found == sizes.size()) return "";
  return fmt::format("; {} grows from step to step", plan.buffer_name(system.states[found].buffer));
}

// For a system that diverges, returns the end of a sentence, "; NAME ...". It names the author's
// memory that keeps all its contents, or else the one with the largest part in what grows most.
// Empty if there is none.
std::string growing_memory(const Plan& plan, const LinearSystem& system) {
  for (std::size_t i = 0; i < system.states.size(); ++i) {
    const PlanBuffer& buffer = plan.buffers[system.states[i].buffer];
    const bool keeps = std::ranges::any_of(system.step[i], [&](const Addend& addend) {
      return addend.index == i && std::fabs(addend.weight.value) >= 1;
    });
    if (buffer.kind == CONVOY_BUFFER_PERSISTENT && keeps)
      return fmt::format("; {} is never cleared or reduced",
                         plan.buffer_name(system.states[i].buffer));
  }
  return fastest_growing(plan, system);
}

class SystemJudge : public SystemProof {
 public:
  SystemJudge(const SystemProof& proof, const std::vector<LinearApply>& applies)
      : SystemProof(proof), applies_(applies) {}

  void judge() {
    if (!fits() || !reads_known()) return;
    require_constant_zero_input_response(*this);
    if (!report_.findings.empty()) return;
    if (!system_.opaque_atoms.empty()) return judge_conserved();
    if (stationary_) {
      judge_averaging();
    } else {
      const Limit limit = limit_of(system_.step);
      if (limit.kind != Stability::kConverges)
        if (const auto part = reachable_subspace(system_, values_)) {
          report_ = judge_system(plan_, *part, gradients_, applies_, values_);
          return;
        }
      judge_limit(limit);
    }
    if (report_.findings.empty()) measure_delay();
  }

 private:
  bool fits() {
    const std::size_t n = system_.states.size();
    const bool starts_alike =
        std::ranges::all_of(system_.start, [](const Weight& it) { return it.field == 1; });
    if (n > kFewStates && system_.opaque_atoms.empty() && starts_alike)
      stationary_ = stationary_distribution(system_, values_);
    if (stationary_) return true;
    std::size_t dense = n;  // states whose matrices are dense
    if (system_.opaque_atoms.empty()) dense = core_states(system_.step).core.size();
    if (dense > kMostStates) {
      add_finding(
          FindingKind::kBudget, system_.reads.front(), CONVOY_NONE,
          fmt::format("{} stretches of memory depend on each other from step to step; {} can be "
                      "judged together",
                      dense, kMostStates));
      return false;
    }
    const std::size_t columns =
        system_.reads.size() + system_.error_atoms.size() + gradients_.size();
    values_.spend(dense * dense * dense / 16 + n * columns / 4, system_.reads.front().operation);
    return true;
  }

  // Whether the values that forwards read are sums of memory, rather than values that only the run
  // knows.
  bool reads_known() {
    for (const PeriodRead& read : system_.reads)
      if (!read.opaque.empty()) {
        add_finding(FindingKind::kUndeclared, read, read.replica,
                    fmt::format("parameters are made of what is not known: {}",
                                unknown_effect(plan_, values_, system_.opaque_atoms)));
        return false;
      }
    return true;
  }

  // All states converge to one sum. The weight of a gradient or an error in that sum is its weight
  // everywhere.
  void judge_averaging() {
    const auto collected = [&](const std::vector<LinearRow>& rows, std::size_t columns) {
      FieldMatrix sums(1, columns);
      for (std::size_t i = 0; i < rows.size(); ++i)
        for (const Addend& it : rows[i])
          sums.at(0, it.index) =
              field_add(sums.at(0, it.index), field_multiply((*stationary_)[i], it.weight.field));
      return sums;
    };
    const FieldMatrix weights = collected(system_.gradients, gradients_.size());
    require_equal_weights(*this, weights);
    if (!report_.findings.empty()) return;
    const FieldMatrix errors = collected(system_.errors, system_.error_atoms.size());
    FieldMatrix states(1, stationary_->size());
    for (std::size_t i = 0; i < stationary_->size(); ++i) states.at(0, i) = (*stationary_)[i];
    ErrorFeedbackJudge judge(*this);
    for (const PeriodRead& read : system_.reads) judge.judge(read, weights, 0, errors, states);
    if (report_.findings.empty()) judge_total_weight(*this, weights);
  }

  void judge_limit(const Limit& limit) {
    const PeriodRead& any = system_.reads.front();
    if (limit.kind == Stability::kDiverges)
      return add_finding(
          FindingKind::kUnstable, any, any.replica,
          fmt::format("what it is made of grows without bound: something is added again in "
                      "every step{}",
                      growing_memory(plan_, system_)));
    if (limit.kind == Stability::kOscillates)
      return add_finding(FindingKind::kUnknown, any, any.replica,
                         "what it is made of neither settles nor fades");
    std::vector<LinearRow> rows;
    for (const PeriodRead& read : system_.reads) rows.push_back(read.states);
    const FieldMatrix reads = multiply(to_matrix(rows, system_.states.size()), limit.kept);
    const FieldMatrix weights =
        multiply(reads, multiply(limit.conserved, to_matrix(system_.gradients, gradients_.size())));
    report_.alone = trains_alone(weights);
    if (!report_.alone) require_equal_weights(*this, weights);
    if (!report_.findings.empty()) return;
    const FieldMatrix errors =
        multiply(limit.conserved, to_matrix(system_.errors, system_.error_atoms.size()));
    ErrorFeedbackJudge judge(*this);
    for (std::size_t r = 0; r < system_.reads.size(); ++r) {
      const PeriodRead& read = system_.reads[r];
      const FieldMatrix kept =
          multiply(to_matrix({read.states}, system_.states.size()), limit.kept);
      judge.judge(read, weights, r, multiply(kept, errors), multiply(kept, limit.conserved));
    }
    if (report_.findings.empty()) judge_total_weight(*this, weights);
  }

  bool trains_alone(const FieldMatrix& weights) const {
    if (plan_.cluster->replicas() < 2) return false;
    for (std::size_t r = 0; r < system_.reads.size(); ++r)
      for (std::size_t g = 0; g < gradients_.size(); ++g)
        if ((weights.at(r, g) != 0) != (gradients_[g].replica == system_.reads[r].replica))
          return false;
    return true;
  }

  // With undeclared kernels there are no final weights. But every sum that is conserved, whatever
  // they write, must contain all gradients equally, with the weight of the parameters.
  void judge_conserved() {
    const ConservedSums sums =
        conserved_sums(system_, gradients_.size(), plan_.cluster->replicas());
    const bool all_alike =
        sums.alike && gradients_.size() == plan_.cluster->replicas() * plan_.computes;
    const std::vector<AtomId>& makers = system_.opaque_atoms;
    const PeriodRead& any = system_.reads.front();
    if (!sums.total || !all_alike)
      return add_finding(FindingKind::kUndeclared, any, any.replica,
                         fmt::format("{}, and {}", unknown_effect(plan_, values_, makers),
                                     sums.total ? "gradients would not all count alike"
                                                : "nothing keeps what it leaves out"));
    if (*sums.total != 1)
      return add_finding(FindingKind::kScaled, any, any.replica,
                         fmt::format("every gradient counts {:.6g} times in the end, not once",
                                     number_of(*sums.total)));
    // Only the kernel knows whether a kept residual is passed on later.
    add_finding(
        FindingKind::kUndeclared, any, any.replica,
        made_by_calls(plan_, values_, makers)
            ? fmt::format(
                  "all gradients are kept until they are applied, but kernel {} does not say "
                  "that it sends what it reads (CallOptions::effect)",
                  makers_of(plan_, values_, makers))
            : fmt::format("all gradients are kept until they are applied, but it is not known "
                          "whether {} lets them out",
                          makers_of(plan_, values_, makers)));
  }

  // Measures the periods until every gradient has reached everything that it ever reaches.
  void measure_delay() {
    if (stationary_) {
      report_.delay = periods_to_spread(system_, gradients_.size(), values_);
      return;
    }
    for (std::uint32_t g = 0; g < gradients_.size(); ++g) {
      std::optional<std::uint32_t> only_replica;
      if (report_.alone) only_replica = gradients_[g].replica;
      report_.delay = std::max(report_.delay, periods_to_arrive(system_, g, only_replica, values_));
    }
  }

  const std::vector<LinearApply>& applies_;
  std::optional<std::vector<std::uint64_t>> stationary_;  // a weight per state
};

}  // namespace

SystemReport judge_system(const Plan& plan, const LinearSystem& system,
                          const std::vector<GradientKey>& gradients,
                          const std::vector<LinearApply>& applies, const ValueTable& values) {
  SystemReport report;
  const PeriodUpdates updates(plan, system, applies, values);
  const SystemProof proof(plan, system, gradients, updates, values, report);
  SystemJudge(proof, applies).judge();
  return report;
}

}  // namespace convoy::plan::check
