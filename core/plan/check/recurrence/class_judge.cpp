#include "core/plan/check/recurrence/class_judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "core/plan/check/recurrence/averaging.hpp"
#include "core/plan/check/recurrence/class_errors.hpp"
#include "core/plan/check/recurrence/class_start.hpp"
#include "core/plan/check/recurrence/core_states.hpp"
#include "core/plan/check/recurrence/on_the_way.hpp"
#include "core/plan/check/recurrence/opaque_effects.hpp"
#include "core/plan/check/recurrence/period_flow.hpp"
#include "core/plan/check/recurrence/reachable.hpp"
#include "core/plan/check/recurrence/uneven_counts.hpp"

namespace convoy::check {
namespace {

constexpr std::size_t kMostStates = 256;
constexpr std::size_t kFewStates = 32;  // for which matrices are as quick as anything

}  // namespace

ClassReport ClassJudge::judge() {
  if (!fits() || !reads_known()) return std::move(report_);
  require_constant_start(plan_, it_, values_, report_);
  if (!report_.findings.empty()) return std::move(report_);
  if (!it_.opaque_atoms.empty()) {
    judge_conserved();
    return std::move(report_);
  }
  if (conserved_) {
    judge_averaging();
  } else {
    const Limit limit = limit_of(it_.step);
    if (limit.kind != LongRun::kSettles)
      if (const auto part = reachable_part(it_, values_))
        return ClassJudge(plan_, *part, gradients_, applies_, values_).judge();
    judge_limit(limit);
  }
  if (report_.findings.empty()) measure_delay();
  return std::move(report_);
}

bool ClassJudge::fits() {
  const std::size_t n = it_.states.size();
  const bool starts_alike =
      std::ranges::all_of(it_.start, [](const Weight& it) { return it.field == 1; });
  if (n > kFewStates && it_.opaque_atoms.empty() && starts_alike)
    conserved_ = conserved_by_averaging(it_, values_);
  if (conserved_) return true;
  std::size_t dense = n;  // states whose matrices are dense
  if (it_.opaque_atoms.empty()) dense = core_states(it_.step).core.size();
  if (dense > kMostStates) {
    add(FindingKind::kBudget, it_.reads.front(), CONVOY_NONE,
        fmt::format("{} stretches of memory depend on each other from step to step; {} can be "
                    "judged together",
                    dense, kMostStates));
    return false;
  }
  const std::size_t columns = it_.reads.size() + it_.error_atoms.size() + gradients_.size();
  values_.spend(dense * dense * dense / 16 + n * columns / 4, it_.reads.front().operation);
  return true;
}

void ClassJudge::add(FindingKind kind, const PeriodRead& read, std::uint32_t replica,
                     const std::string& what) {
  add_finding(report_, it_, kind, read, replica, what);
}

// The values that forwards read are sums of memory, not values that only the run knows.
bool ClassJudge::reads_known() {
  for (const PeriodRead& read : it_.reads)
    if (!read.opaque.empty()) {
      add(FindingKind::kUndeclared, read, read.replica,
          fmt::format("parameters are made of what is not known: {}",
                      unknown_effect(plan_, values_, it_.opaque_atoms)));
      return false;
    }
  return true;
}

// All states converge to one sum. The weight of a gradient or an error in that sum is its weight
// everywhere.
void ClassJudge::judge_averaging() {
  const auto collected = [&](const std::vector<LinearRow>& rows, std::size_t columns) {
    FieldMatrix sums(1, columns);
    for (std::size_t i = 0; i < rows.size(); ++i)
      for (const Addend& it : rows[i])
        sums.at(0, it.index) =
            field_add(sums.at(0, it.index), field_multiply((*conserved_)[i], it.weight.field));
    return sums;
  };
  const FieldMatrix weights = collected(it_.gradients, gradients_.size());
  require_equal(weights);
  if (!report_.findings.empty()) return;
  const FieldMatrix errors = collected(it_.errors, it_.error_atoms.size());
  FieldMatrix states(1, conserved_->size());
  for (std::size_t i = 0; i < conserved_->size(); ++i) states.at(0, i) = (*conserved_)[i];
  ErrorJudge judge(plan_, it_, gradients_, values_, report_);
  for (const PeriodRead& read : it_.reads) judge.judge(read, weights, 0, errors, states);
  if (report_.findings.empty()) judge_total(weights);
}

void ClassJudge::judge_limit(const Limit& limit) {
  const PeriodRead& any = it_.reads.front();
  if (limit.kind == LongRun::kGrows)
    return add(FindingKind::kUnstable, any, any.replica,
               fmt::format("what it is made of grows without bound: something is added again in "
                           "every step{}",
                           growing_memory()));
  if (limit.kind == LongRun::kOscillates)
    return add(FindingKind::kUnknown, any, any.replica,
               "what it is made of neither settles nor fades");
  std::vector<LinearRow> rows;
  for (const PeriodRead& read : it_.reads) rows.push_back(read.states);
  const FieldMatrix reads = multiply(to_matrix(rows, it_.states.size()), limit.kept);
  const FieldMatrix weights =
      multiply(reads, multiply(limit.conserved, to_matrix(it_.gradients, gradients_.size())));
  report_.alone = trains_alone(weights);
  if (!report_.alone) require_equal(weights);
  if (!report_.findings.empty()) return;
  const FieldMatrix errors =
      multiply(limit.conserved, to_matrix(it_.errors, it_.error_atoms.size()));
  ErrorJudge judge(plan_, it_, gradients_, values_, report_);
  for (std::size_t r = 0; r < it_.reads.size(); ++r) {
    const PeriodRead& read = it_.reads[r];
    const FieldMatrix kept = multiply(to_matrix({read.states}, it_.states.size()), limit.kept);
    judge.judge(read, weights, r, multiply(kept, errors), multiply(kept, limit.conserved));
  }
  if (report_.findings.empty()) judge_total(weights);
}

// The author's memory that keeps all that it holds; it grows, or what is added to it does.
std::string ClassJudge::growing_memory() const {
  for (std::size_t i = 0; i < it_.states.size(); ++i) {
    const PlanBuffer& buffer = plan_.buffers[it_.states[i].buffer];
    const bool keeps = std::ranges::any_of(it_.step[i], [&](const Addend& addend) {
      return addend.index == i && std::fabs(addend.weight.value) >= 1;
    });
    if (buffer.kind == CONVOY_BUFFER_PERSISTENT && keeps)
      return fmt::format("; {} is never cleared or reduced",
                         plan_.buffer_name(it_.states[i].buffer));
  }
  return fastest_growing();
}

// The author's memory with the largest part in what grows most.
std::string ClassJudge::fastest_growing() const {
  constexpr int kPeriods = 64;
  std::vector<double> sizes(it_.states.size());
  for (std::size_t i = 0; i < sizes.size(); ++i) sizes[i] = 1 + 1 / (static_cast<double>(i) + 3);
  for (int period = 0; period < kPeriods; ++period) {
    std::vector<double> next(sizes.size(), 0.0);
    for (std::size_t i = 0; i < sizes.size(); ++i)
      for (const Addend& it : it_.step[i]) next[i] += it.weight.value * sizes[it.index];
    const double largest =
        std::fabs(*std::ranges::max_element(next, {}, [](double size) { return std::fabs(size); }));
    if (!(largest > 0)) return "";
    for (double& size : next) size /= largest;
    sizes = std::move(next);
  }
  std::size_t found = sizes.size();
  for (std::size_t i = 0; i < sizes.size(); ++i)
    if (plan_.buffers[it_.states[i].buffer].kind == CONVOY_BUFFER_PERSISTENT &&
        std::fabs(sizes[i]) > (found < sizes.size() ? std::fabs(sizes[found]) : 1e-6))
      found = i;
  if (found == sizes.size()) return "";
  return fmt::format("; {} grows from step to step", plan_.buffer_name(it_.states[found].buffer));
}

bool ClassJudge::trains_alone(const FieldMatrix& weights) const {
  if (plan_.cluster->replicas() < 2) return false;
  for (std::size_t r = 0; r < it_.reads.size(); ++r)
    for (std::size_t g = 0; g < gradients_.size(); ++g)
      if ((weights.at(r, g) != 0) != (gradients_[g].replica == it_.reads[r].replica)) return false;
  return true;
}

// How often the gradients of each of the period's computes count, where all replicas' count alike
// in everything that is read; empty where they do not.
std::vector<std::uint64_t> ClassJudge::counts_by_compute(const FieldMatrix& weights) const {
  const std::uint64_t replicas = plan_.cluster->replicas();
  if (gradients_.size() != replicas * plan_.computes) return {};
  std::vector<std::uint64_t> counts(plan_.computes, 0);
  for (std::size_t r = 0; r < weights.rows(); ++r)
    for (std::size_t g = 0; g < gradients_.size(); ++g) {
      const std::uint64_t times = counted(weights.at(r, g), replicas);
      std::uint64_t& known = counts[gradients_[g].compute];
      if (times == 0 || (known != 0 && known != times)) return {};
      known = times;
    }
  return counts;
}

// Whether every gradient of the period is in everything that is read, always with one weight.
bool ClassJudge::all_equal(const FieldMatrix& weights) const {
  if (gradients_.size() != plan_.cluster->replicas() * plan_.computes) return false;
  const std::uint64_t first = weights.at(0, 0);
  for (std::size_t r = 0; r < weights.rows(); ++r)
    for (std::size_t g = 0; g < gradients_.size(); ++g)
      if (weights.at(r, g) != first) return false;
  return first != 0;
}

// Every gradient has the same final weight in everything that is read.
void ClassJudge::require_equal(const FieldMatrix& weights) {
  if (all_equal(weights)) return;
  const std::vector<std::uint64_t> by_compute = counts_by_compute(weights);
  if (const auto factor = restarted_momentum(by_compute)) {
    report_.restarts = by_compute;
    return add(FindingKind::kUnknown, it_.reads.front(), CONVOY_NONE,
               fmt::format("gradients of the first of {} steps count {:.6g} times and those of the "
                           "last one {:.6g} times, as with a momentum of {:.6g} that begins anew "
                           "every {} steps: it is not known whether that is meant",
                           plan_.computes, number_of(by_compute.front()),
                           number_of(by_compute.back()), *factor, plan_.computes));
  }
  report_.uneven_means = updates_.uneven_means(by_compute);
  if (report_.uneven_means.empty() && !judge_pulled_back(by_compute) &&
      !judge_averaged_on_the_way(by_compute) && !leave_mixed_open(by_compute))
    report_unequal(weights);
}

// The first gradient that is missing or has another weight.
void ClassJudge::report_unequal(const FieldMatrix& weights) {
  const std::uint64_t replicas = plan_.cluster->replicas();
  const auto named = [&](const GradientKey& it) {
    return fmt::format("replica {}{}", it.replica,
                       plan_.computes == 1
                           ? ""
                           : fmt::format(" in step {} of {}", it.compute + 1, plan_.computes));
  };
  std::map<GradientKey, std::size_t> columns;
  for (std::size_t g = 0; g < gradients_.size(); ++g) columns.emplace(gradients_[g], g);
  for (std::size_t r = 0; r < weights.rows(); ++r) {
    const PeriodRead& read = it_.reads[r];
    for (std::uint32_t source = 0; source < replicas; ++source)
      for (std::uint64_t compute = 0; compute < plan_.computes; ++compute) {
        const auto at = columns.find({source, compute});
        if (at == columns.end() || weights.at(r, at->second) == 0)
          return add(FindingKind::kMissing, read, source,
                     fmt::format("the gradient of replica {} is missing from what replica {} reads",
                                 source, read.replica));
      }
    for (std::size_t g = 0; g < gradients_.size(); ++g) {
      if (weights.at(r, g) == weights.at(0, 0)) continue;
      return add(
          FindingKind::kScaled, read, gradients_[g].replica,
          fmt::format("in what replica {} reads, the gradient of {} counts {:.6g} times in the "
                      "end, and that of {} in what replica {} reads {:.6g} times",
                      read.replica, named(gradients_[g]),
                      number_of(counted(weights.at(r, g), replicas)), named(gradients_[0]),
                      it_.reads[0].replica, number_of(counted(weights.at(0, 0), replicas))));
    }
  }
}

// Where parameters are pulled back in every step, the plan says so. Gradients that are scaled
// themselves could give such counts, too. A momentum or a rate of the means counts for all steps.
bool ClassJudge::judge_pulled_back(const std::vector<std::uint64_t>& by_compute) {
  if (by_compute.size() < 2) return false;
  const std::uint64_t last = by_compute.back();
  const std::uint64_t kept = field_multiply(by_compute[by_compute.size() - 2], field_inverse(last));
  const OnTheWay way(it_, values_);
  for (const std::uint64_t of_all : {last, field_multiply(last, field_inverse(kept))}) {
    std::vector<std::uint64_t> counts = by_compute;
    for (std::uint64_t& it : counts) it = field_multiply(it, field_inverse(of_all));
    const std::optional<double> leaves = pulled_back(counts);
    if (!leaves || !is_fair_total(of_all) || !way.pulls_back(kept, counts)) continue;
    accept_uneven(by_compute, fmt::format("steps pull parameters back by {:.6g} of the way to "
                                          "where the period began",
                                          1 - *leaves));
    return true;
  }
  return leave_pulled_back_open(by_compute);
}

bool ClassJudge::leave_pulled_back_open(const std::vector<std::uint64_t>& by_compute) {
  const std::optional<double> kept = pulled_back(by_compute);
  if (!kept || !averages_parameters(it_)) return false;
  add(FindingKind::kUnknown, it_.reads.front(), CONVOY_NONE,
      fmt::format("gradients of the first of {} steps count {:.6g} times and those of the last one "
                  "{:.6g} times, as where steps pull parameters back by {:.6g} of the way from "
                  "where the period began: it is not known whether that is meant",
                  plan_.computes, number_of(by_compute.front()), number_of(by_compute.back()),
                  1 - *kept));
  return true;
}

// Whether all gradients may count so often: once, less where parameters are averaged, or more by a
// momentum between periods.
bool ClassJudge::is_fair_total(std::uint64_t total) const {
  const double counts = number_of(total);
  return total == 1 || (counts > 0 && counts < 1 && averages_parameters(it_)) ||
         (counts > 1 && counts_by_momentum(it_, total, 1));
}

// The same where weights go on from their mean, as in stochastic weight averaging (Izmailov et al.,
// 2018): every step takes a plain mean, or every replica its own gradient, and every forward has
// all of them in full.
bool ClassJudge::judge_averaged_on_the_way(const std::vector<std::uint64_t>& by_compute) {
  const std::uint64_t replicas = plan_.cluster->replicas();
  const std::optional<std::uint64_t> points = averaged_on_the_way(by_compute);
  if (!points) return false;
  const OnTheWay way(it_, values_);
  const bool takes_means = updates_.are_plain_means(replicas);
  if ((takes_means && way.has_all_alike(replicas)) ||
      (updates_.are_plain_means(1) && way.has_own_in_full())) {
    report_.averaged_over = *points;
    accept_uneven(by_compute, fmt::format("every {} steps end with the mean of the parameters at "
                                          "{} points on the way",
                                          plan_.computes, *points));
    return true;
  }
  if (!takes_means) return false;
  report_.averaged_over = *points;
  add(FindingKind::kUnknown, it_.reads.front(), CONVOY_NONE,
      fmt::format("gradients of the first of {} steps count once and those of the last one {:.6g} "
                  "times, as where the period ends with the mean of the parameters at {} points on "
                  "the way: it is not known whether that is meant",
                  plan_.computes, number_of(by_compute.back()), *points));
  return true;
}

// Updates are whole means, so it is the parameters that lose a part of them.
bool ClassJudge::leave_mixed_open(const std::vector<std::uint64_t>& by_compute) {
  const std::optional<double> between = mixed_with_earlier(by_compute);
  if (!between || !updates_.are_means_of_some()) return false;
  add(FindingKind::kUnknown, it_.reads.front(), CONVOY_NONE,
      fmt::format("gradients of some of {} steps count {:.6g} times and those of the others once, "
                  "as where parameters are replaced by {:.6g} of themselves and {:.6g} of those of "
                  "some steps before: it is not known whether that is meant",
                  plan_.computes, *between, *between, 1 - *between));
  return true;
}

void ClassJudge::accept_uneven(const std::vector<std::uint64_t>& by_compute,
                               const std::string& because) {
  report_.uneven_because = because;
  report_.total = 0;
  report_.least = report_.counts = number_of(by_compute.front());
  for (const std::uint64_t counts : by_compute) {
    report_.total = field_hash(counts, report_.total);
    report_.least = std::min(report_.least, number_of(counts));
    report_.counts = std::max(report_.counts, number_of(counts));
  }
}

// Replicas whose gradients a mean is over.
std::uint64_t ClassJudge::sources_of_a_mean() const {
  return report_.alone ? 1 : plan_.cluster->replicas();
}

// Of how many computes the gradients of a compute are divided by.
std::uint64_t ClassJudge::divisor_of(std::uint64_t compute) const {
  std::uint64_t end = 0;
  for (const std::uint64_t computes : report_.uneven_means)
    if (compute < (end += computes)) return computes;
  return report_.means_over;
}

std::uint64_t ClassJudge::updates_of_period() const {
  return report_.uneven_means.empty() ? plan_.computes / report_.means_over
                                      : report_.uneven_means.size();
}

// Every gradient counts `total` times its weight in a mean. More than once is right only for
// momentum. Less than once is right where parameters are averaged.
void ClassJudge::judge_total(const FieldMatrix& weights) {
  if (!report_.uneven_because.empty()) return;
  std::size_t counting = 0;  // the first gradient that gets into what is read
  while (counting < gradients_.size() && weights.at(0, counting) == 0) ++counting;
  const PeriodRead& any = it_.reads.front();
  if (counting == gradients_.size())
    return add(FindingKind::kScaled, any, any.replica,
               fmt::format("every gradient counts 0 times in the end in what replica {} reads: no "
                           "update stays in its parameters",
                           any.replica));
  const std::uint64_t count = counted(weights.at(0, counting), sources_of_a_mean());
  report_.means_over = report_.uneven_means.empty()
                           ? updates_.computes_of_a_mean(sources_of_a_mean(), count)
                           : std::ranges::max(report_.uneven_means);
  const std::uint64_t divisor = divisor_of(gradients_[counting].compute);
  const std::uint64_t total = field_multiply(count, divisor);
  report_.total = total;
  take_counts(total);
  const double counts = report_.counts;
  if (report_.counts_once || (counts > 0 && counts < 1 && averages_parameters(it_))) return;
  const char* subject = report_.alone
                            ? "no replica's gradient reaches another replica, and at home each"
                            : "every gradient";
  if (counts < 1)
    return add(FindingKind::kScaled, any, any.replica,
               fmt::format("{} counts {:.6g} times in the end, not once", subject, counts));
  judge_more_than_once(total, subject);
}

// `subject` is whose count that is: "every gradient".
void ClassJudge::judge_more_than_once(std::uint64_t total, const char* subject) {
  // An update of a sum is one, of however many steps the sum is; momentum may also take every step.
  const std::uint64_t updates[] = {updates_of_period(), updates_.most_of_a_buffer(),
                                   plan_.computes};
  const auto is_momentum = [&](std::uint64_t of_period) {
    return counts_by_momentum(it_, total, of_period);
  };
  if (takes_each_by_itself(total) || std::ranges::any_of(updates, is_momentum)) return;
  const double counts = report_.counts;
  const bool in_full = std::fabs(counts - plan_.cluster->replicas()) < 1e-9;
  const bool twice = may_count_by_two_momenta(it_, total, updates_of_period());
  const char* as_if = "";
  if (twice)
    as_if = ", as with a momentum inside of another: it is not known whether that is meant";
  if (in_full) as_if = ", as if the replicas' updates were added where a mean is meant";
  const PeriodRead& any = it_.reads.front();
  add(in_full || twice ? FindingKind::kUnknown : FindingKind::kDoubled, any, any.replica,
      fmt::format("{} counts {:.6g} times in the end, not once{}", subject, counts, as_if));
}

void ClassJudge::take_counts(std::uint64_t counts) {
  report_.least = report_.counts = number_of(counts);
  report_.counts_once = counts == 1;
}

// Where every gradient is applied by itself, it counts once when it does so undivided.
bool ClassJudge::takes_each_by_itself(std::uint64_t total) {
  const std::uint64_t replicas = plan_.cluster->replicas();
  if (replicas < 2 || !updates_.are_for_each(gradients_.size())) return false;
  const std::uint64_t undivided = field_multiply(total, field_inverse(replicas));
  // Of a momentum of each replica's own, or of one that they share.
  const auto fades = [&](std::uint64_t updates) {
    return counts_by_momentum(it_, undivided, updates);
  };
  if (undivided != 1 &&
      (number_of(undivided) < 1 || !(fades(plan_.computes) || fades(plan_.computes * replicas))))
    return false;
  take_counts(undivided);
  report_.by_itself = true;
  return true;
}

// With undeclared kernels there are no final weights. But every sum that is conserved whatever they
// write must contain all gradients equally, with the weight of the parameters.
void ClassJudge::judge_conserved() {
  const ConservedSums sums = conserved_sums(it_, gradients_.size(), plan_.cluster->replicas());
  const bool all_alike =
      sums.alike && gradients_.size() == plan_.cluster->replicas() * plan_.computes;
  const std::vector<AtomId>& makers = it_.opaque_atoms;
  const PeriodRead& any = it_.reads.front();
  if (!sums.total || !all_alike)
    return add(FindingKind::kUndeclared, any, any.replica,
               fmt::format("{}, and {}", unknown_effect(plan_, values_, makers),
                           sums.total ? "gradients would not all count alike"
                                      : "nothing keeps what it leaves out"));
  if (*sums.total != 1)
    return add(FindingKind::kScaled, any, any.replica,
               fmt::format("every gradient counts {:.6g} times in the end, not once",
                           number_of(*sums.total)));
  // Only the kernel knows whether a kept residual is passed on later.
  add(FindingKind::kUndeclared, any, any.replica,
      made_by_calls(plan_, values_, makers)
          ? fmt::format("all gradients are kept until they are applied, but kernel {} does not say "
                        "that it sends what it reads (CallOptions::effect)",
                        makers_of(plan_, values_, makers))
          : fmt::format("all gradients are kept until they are applied, but it is not known "
                        "whether {} lets them out",
                        makers_of(plan_, values_, makers)));
}

// Periods until every gradient has reached everything that it ever reaches.
void ClassJudge::measure_delay() {
  if (conserved_) {
    report_.delay = periods_to_spread(it_, gradients_.size(), values_);
    return;
  }
  for (std::uint32_t g = 0; g < gradients_.size(); ++g) {
    std::optional<std::uint32_t> only_replica;
    if (report_.alone) only_replica = gradients_[g].replica;
    report_.delay = std::max(report_.delay, periods_to_arrive(it_, g, only_replica, values_));
  }
}

}  // namespace convoy::check
