#include "core/plan/check/recurrence/class_judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "core/plan/check/audit.hpp"
#include "core/plan/check/recurrence/averaging.hpp"
#include "core/plan/check/recurrence/core_states.hpp"
#include "core/plan/check/recurrence/opaque_effects.hpp"
#include "core/plan/check/recurrence/period_flow.hpp"
#include "core/plan/check/recurrence/pulled_back.hpp"
#include "core/plan/check/recurrence/reachable.hpp"
#include "core/plan/check/recurrence/restarted_momentum.hpp"

namespace convoy::check {
namespace {

constexpr std::size_t kFadingPeriods = 64;  // periods in which momentum shows how it fades
constexpr std::size_t kMostStates = 256;
constexpr std::size_t kFewStates = 32;  // for which matrices are as quick as anything
constexpr int kSettlingPeriods = 8;     // of the start

bool depends_on(const LinearRow& row, const std::vector<bool>& states) {
  return std::ranges::any_of(row, [&](const Addend& it) { return states[it.index]; });
}

// Whether the update is of memory that holds what such elements hold.
bool is_updated(const PeriodClass& it, const LinearApply& apply) {
  return std::ranges::any_of(it.states, [&](const PeriodState& state) {
    return state.buffer == apply.target && state.range.first >= apply.range.first &&
           state.range.first < apply.range.first + apply.range.count;
  });
}

struct Updates {
  std::map<std::uint32_t, std::set<std::uint32_t>> operations;  // of a buffer
  std::set<std::uint64_t> divisors;
};

Updates updates_of(const PeriodClass& it, const std::vector<LinearApply>& applies) {
  Updates result;
  for (const LinearApply& apply : applies) {
    if (!is_updated(it, apply)) continue;
    result.operations[apply.target].insert(apply.operation);
    result.divisors.insert(apply.contributions);
  }
  return result;
}

// By buffer and operation: the gradients that its update is given.
using GivenGradients = std::map<std::uint32_t, std::map<std::uint32_t, std::set<GradientKey>>>;

// Whether every update of every buffer brings one gradient that none before it had.
bool one_more_in_each(const GivenGradients& given, std::size_t gradients) {
  return std::ranges::all_of(given, [&](const auto& of_buffer) {
    std::set<GradientKey> known;
    for (const auto& [unused, keys] : of_buffer.second) {
      const std::size_t before = known.size();
      known.insert(keys.begin(), keys.end());
      if (known.size() != before + 1) return false;
    }
    return known.size() == gradients;
  });
}

// Whether a gradient that counts `total` times does so because of momentum: the later contributions
// of a gradient decay like the powers of some b, and add up to at most 1 / (1 - b) times.
bool is_of_momentum(const PeriodClass& it, std::uint64_t total, std::uint64_t updates) {
  const double counts = number_of(total);
  const std::vector<Weight> response = responses(it, kFadingPeriods);
  const std::uint64_t decay = field_add(1, kPrime - field_inverse(total));  // 1 - 1 / total
  if (fades_by(response, field_power(decay, updates))) return true;
  const double fading = fading_rate(response);
  // Momentum between periods, or between the updates of one.
  const double each = std::pow(fading, 1.0 / static_cast<double>(updates));
  return fading > 0 && fading < 1 &&
         (counts * (1 - fading) < 1 + 1e-6 || std::fabs(counts * (1 - each) - 1) < 1e-6);
}

}  // namespace

bool leaves_open(FindingKind kind) {
  return kind == FindingKind::kUndeclared || kind == FindingKind::kUnknown ||
         kind == FindingKind::kBudget;
}

ClassReport ClassJudge::judge() {
  if (!fits() || !reads_known()) return std::move(report_);
  require_start();
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
      if (const auto part = reachable_part(it_, budget_))
        return ClassJudge(plan_, *part, gradients_, applies_, budget_).judge();
    judge_limit(limit);
  }
  if (report_.findings.empty()) measure_delay();
  return std::move(report_);
}

bool ClassJudge::fits() {
  const std::size_t n = it_.states.size();
  if (n > kFewStates && it_.opaque_atoms.empty() && starts_alike())
    conserved_ = conserved_by_averaging(it_, budget_);
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
  budget_.spend(dense * dense * dense / 16 + n * columns / 4, it_.reads.front().operation);
  return true;
}

bool ClassJudge::starts_alike() const {
  return std::ranges::all_of(it_.start, [](const Weight& it) { return it.field == 1; });
}

// The operation that wrote the parameters which the read depends on most directly.
std::uint32_t ClassJudge::writer(const PeriodRead& read) const {
  for (const Addend& it : read.states)
    if (it_.states[it.index].operation != CONVOY_NONE) return it_.states[it.index].operation;
  return read.operation;
}

void ClassJudge::add(FindingKind kind, const PeriodRead& read, std::uint32_t replica,
                     const std::string& what) {
  report_.findings.push_back({kind, writer(read), replica, read.range, what});
}

// The values that forwards read are sums of memory, not values that only the run knows.
bool ClassJudge::reads_known() {
  for (const PeriodRead& read : it_.reads)
    if (!read.opaque.empty()) {
      add(FindingKind::kUndeclared, read, read.replica,
          fmt::format("parameters are made of what is not known: {}",
                      unknown_effect(plan_, budget_, it_.opaque_atoms)));
      return false;
    }
  return true;
}

// Without gradients the parameters do not change, from the first step on. Values that only the run
// knows may be a part of the parameters, so they leave open what the states that they reach hold.
void ClassJudge::require_start() {
  std::vector<Weight> held = it_.start;
  std::vector<bool> reached(it_.states.size(), false);
  const PeriodRead* open = nullptr;
  for (int period = 0; period < kSettlingPeriods; ++period) {
    for (const PeriodRead& read : it_.reads) {
      if (times(read.states, held).field == 1) continue;
      if (!depends_on(read.states, reached)) return report_start(read, held);
      if (open == nullptr) open = &read;
    }
    std::vector<Weight> next = next_period(it_, held);
    reached = reached_next(reached);
    const bool settled =
        std::equal(next.begin(), next.end(), held.begin(),
                   [](const Weight& a, const Weight& b) { return a.field == b.field; });
    held = std::move(next);
    if (settled && open == nullptr) return;
    if (settled) break;
  }
  if (open != nullptr)
    return add(FindingKind::kUndeclared, *open, open->replica,
               fmt::format("whether parameters stay the same without gradients is not known: {}",
                           unknown_effect(plan_, budget_, it_.opaque_atoms)));
  add(FindingKind::kUnknown, it_.reads.front(), it_.reads.front().replica,
      fmt::format("what it is made of has not settled after {} steps without gradients",
                  kSettlingPeriods));
}

// The states that hold something of values that only the run knows, one period later.
std::vector<bool> ClassJudge::reached_next(const std::vector<bool>& reached) const {
  std::vector<bool> next;
  for (std::size_t i = 0; i < it_.states.size(); ++i)
    next.push_back(!it_.opaque[i].empty() || depends_on(it_.step[i], reached));
  return next;
}

void ClassJudge::report_start(const PeriodRead& read, const std::vector<Weight>& held) {
  std::string cause;
  for (std::size_t i = 0; i < it_.states.size() && cause.empty(); ++i)
    if (it_.start[i].is_zero() &&
        plan_.buffers[it_.states[i].buffer].kind == CONVOY_BUFFER_PERSISTENT)
      cause = fmt::format("; {} starts at zero: should the prologue copy parameters there?",
                          plan_.buffer_name(it_.states[i].buffer));
  add(FindingKind::kScaled, read, read.replica,
      fmt::format("without any gradient the parameters that replica {} reads would be multiplied "
                  "by {:.6g}{}",
                  read.replica, times(read.states, held).value, cause));
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
  for (const PeriodRead& read : it_.reads) judge_noise(read, errors, weights);
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
  for (const PeriodRead& read : it_.reads) {
    const FieldMatrix kept = multiply(to_matrix({read.states}, it_.states.size()), limit.kept);
    judge_noise(read, multiply(kept, errors), weights);
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
  return "";
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
  const std::uint64_t replicas = plan_.cluster->replicas();
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
  report_.uneven_means = find_uneven_means(by_compute);
  if (!report_.uneven_means.empty() || judge_pulled_back(by_compute)) return;
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
          fmt::format("in what replica {} reads, the gradient of replica {} counts {:.6g} times "
                      "in the end, and that of replica {} in what replica {} reads {:.6g} times",
                      read.replica, gradients_[g].replica,
                      number_of(counted(weights.at(r, g), replicas)), gradients_[0].replica,
                      it_.reads[0].replica, number_of(counted(weights.at(0, 0), replicas))));
    }
  }
}

// Where parameters are pulled back, only the author knows whether that is meant.
bool ClassJudge::judge_pulled_back(const std::vector<std::uint64_t>& by_compute) {
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

// `row` has the final weights of errors in what is read, `weights` those of gradients.
void ClassJudge::judge_noise(const PeriodRead& read, const FieldMatrix& row,
                             const FieldMatrix& weights) {
  ReadNoise noise{read.replica, writer(read), read.range, {}};
  for (std::size_t e = 0; e < it_.error_atoms.size(); ++e) {
    if (!budget_.atom(it_.error_atoms[e]).factors.empty())
      judge_factor(read, it_.error_atoms[e], row.at(0, e) != 0);
    if (row.at(0, e) == 0) continue;
    noise.weights.emplace_back(it_.error_atoms[e], row.at(0, e));
    const auto [known, is_new] = sources_.try_emplace(it_.error_atoms[e]);
    if (is_new) known->second = weight_of_source(it_.error_atoms[e], weights);
    const std::optional<double> source = known->second;
    const double times = source ? number_of(row.at(0, e)) / *source : 0;
    if (times > 1 + 1e-9 || times < -1e-9) report_error(read, it_.error_atoms[e], times);
  }
  std::sort(noise.weights.begin(), noise.weights.end());
  report_.loses = report_.loses || std::ranges::any_of(noise.weights, [&](const auto& it) {
                    return budget_.atom(it.first).factors.empty();
                  });
  report_.noise.push_back(std::move(noise));
}

// What a factor leaves out must not come back, because nobody knows whether the factor ever lets it
// pass.
void ClassJudge::judge_factor(const PeriodRead& read, AtomId product, bool stays) {
  if (!stays)
    return add(FindingKind::kUndeclared, read, read.replica,
               fmt::format("{}, and what it leaves out is kept",
                           unknown_effect(plan_, budget_, {product})));
  report_.factors.emplace(
      operation_name(operation_of(plan_, budget_.atom(product).operation).kind));
}

// An error that is never brought back counts once; an error that is brought back does not count.
void ClassJudge::report_error(const PeriodRead& read, AtomId error, double times) {
  const std::string what =
      times > 0 ? fmt::format(
                      "counts {:.6g} times in the end: it is added where it should be "
                      "subtracted",
                      times)
                : "is brought back more often than once";
  add(FindingKind::kDoubled, read, read.replica,
      fmt::format("what {} leaves out {}", makers_of(plan_, budget_, {error}), what));
}

// The final weight of the input of a cast or kernel: that of a gradient in it.
std::optional<double> ClassJudge::weight_of_source(AtomId error, const FieldMatrix& weights) const {
  for (const Term& term : budget_.expand(budget_.atom(error).inputs.front(), Casts::kThrough)) {
    const Atom& atom = budget_.atom(term.atom);
    const auto at =
        std::find(gradients_.begin(), gradients_.end(), GradientKey{atom.replica, atom.step});
    if (atom.kind != AtomKind::kGradient || at == gradients_.end()) continue;
    const double weight =
        number_of(weights.at(0, static_cast<std::size_t>(at - gradients_.begin())));
    if (weight != 0) return weight / term.weight.value;
  }
  return std::nullopt;
}

// The computes whose gradients every update of the period is the first to be given, in order. Empty
// where an update brings none, or where gradients wait for the next period.
std::vector<std::uint64_t> ClassJudge::computes_of_updates() const {
  std::map<std::uint32_t, std::map<std::uint32_t, std::set<std::uint64_t>>> given;
  for (const LinearApply& apply : applies_) {
    if (!is_updated(it_, apply)) continue;
    std::set<std::uint64_t>& computes = given[apply.target][apply.operation];
    for (const Term& term : budget_.expand(apply.gradient_sum, Casts::kThrough))
      if (const Atom& atom = budget_.atom(term.atom); atom.kind == AtomKind::kGradient)
        computes.insert(atom.step);
  }
  std::optional<std::vector<std::uint64_t>> of_all;
  for (const auto& [unused, updates] : given) {
    std::vector<std::uint64_t> sizes;
    std::uint64_t end = 0;
    for (const auto& [operation, computes] : updates) {
      const std::uint64_t first =
          std::exchange(end, computes.empty() ? end : *computes.rbegin() + 1);
      for (std::uint64_t t = first; t < end; ++t)
        if (!computes.contains(t)) return {};
      if (end <= first) return {};
      sizes.push_back(end - first);
    }
    if (end != plan_.computes || (of_all && *of_all != sizes)) return {};
    of_all = std::move(sizes);
  }
  return of_all.value_or(std::vector<std::uint64_t>{});
}

// Where updates take means over different numbers of computes, gradients count in inverse
// proportion to these.
std::vector<std::uint64_t> ClassJudge::find_uneven_means(
    const std::vector<std::uint64_t>& counts) const {
  const auto differs = [&](std::uint64_t it) { return it != counts.front(); };
  if (std::ranges::none_of(counts, differs)) return {};
  std::vector<std::uint64_t> updates = computes_of_updates();
  std::size_t compute = 0;
  for (const std::uint64_t computes : updates)
    for (std::uint64_t i = 0; i < computes; ++i)
      if (field_multiply(counts[compute++], computes) !=
          field_multiply(counts.front(), updates.front()))
        return {};
  return updates;
}

// If a single update divides by the number of gradients of several computes, these gradients count
// once when they count as in the mean over all of them. A plan may also divide before it updates;
// `first` is the weight of a gradient.
std::uint64_t ClassJudge::computes_of_a_mean(std::uint64_t first) const {
  const std::uint64_t sources = sources_of_a_mean();
  const Updates updates = updates_of(it_, applies_);
  const std::set<std::uint64_t>& divisors = updates.divisors;
  if (divisors.size() != 1) return 1;
  std::size_t most = 1;
  for (const auto& [unused, operations] : updates.operations)
    most = std::max(most, operations.size());
  const std::uint64_t computes = plan_.computes / most;
  if (computes * most != plan_.computes) return 1;
  if (*divisors.begin() == computes * sources) return computes;
  const std::vector<std::uint64_t> given = computes_of_updates();
  const bool divides_before = !given.empty() &&
                              std::ranges::count(given, computes) == std::ssize(given) &&
                              field_multiply(counted(first, sources), computes) == 1;
  return divides_before ? computes : 1;
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
  std::size_t counting = 0;  // the first gradient that gets into what is read
  while (counting < gradients_.size() && weights.at(0, counting) == 0) ++counting;
  const PeriodRead& any = it_.reads.front();
  if (counting == gradients_.size())
    return add(FindingKind::kScaled, any, any.replica,
               fmt::format("every gradient counts 0 times in the end in what replica {} reads: no "
                           "update stays in its parameters",
                           any.replica));
  const std::uint64_t first = weights.at(0, counting);
  report_.means_over = report_.uneven_means.empty() ? computes_of_a_mean(first)
                                                    : std::ranges::max(report_.uneven_means);
  const std::uint64_t divisor = divisor_of(gradients_[counting].compute);
  const std::uint64_t total = field_multiply(counted(first, sources_of_a_mean()), divisor);
  report_.total = total;
  take_counts(total);
  const double counts = report_.counts;
  if (report_.counts_once || (counts > 0 && counts < 1 && averages_parameters(it_))) return;
  if (counts < 1)
    return add(FindingKind::kScaled, any, any.replica,
               fmt::format("every gradient counts {:.6g} times in the end, not once", counts));
  if (takes_each_by_itself(total) || is_of_momentum(it_, total, updates_of_period())) return;
  const bool in_full = std::fabs(counts - plan_.cluster->replicas()) < 1e-9;
  add(in_full ? FindingKind::kUnknown : FindingKind::kDoubled, any, any.replica,
      fmt::format("every gradient counts {:.6g} times in the end, not once{}", counts,
                  in_full ? ", as if the replicas' updates were added where a mean is meant" : ""));
}

void ClassJudge::take_counts(std::uint64_t counts) {
  report_.counts = number_of(counts);
  report_.counts_once = counts == 1;
}

// Whether all updated memory gets an undivided update for every single gradient.
bool ClassJudge::updates_for_each() const {
  GivenGradients given;
  for (const LinearApply& apply : applies_) {
    if (!is_updated(it_, apply)) continue;
    if (apply.contributions != 1) return false;
    std::set<GradientKey>& keys = given[apply.target][apply.operation];
    for (const Term& term : budget_.expand(apply.gradient_sum, Casts::kThrough))
      if (const Atom& atom = budget_.atom(term.atom); atom.kind == AtomKind::kGradient)
        keys.insert({atom.replica, atom.step});
  }
  return !given.empty() && one_more_in_each(given, gradients_.size());
}

// Where every gradient is applied by itself, it counts once when it does so undivided.
bool ClassJudge::takes_each_by_itself(std::uint64_t total) {
  const std::uint64_t replicas = plan_.cluster->replicas();
  if (replicas < 2 || !updates_for_each()) return false;
  const std::uint64_t undivided = field_multiply(total, field_inverse(replicas));
  // Of a momentum of each replica's own, or of one that they share.
  const auto fades = [&](std::uint64_t updates) { return is_of_momentum(it_, undivided, updates); };
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
               fmt::format("{}, and {}", unknown_effect(plan_, budget_, makers),
                           sums.total ? "gradients would not all count alike"
                                      : "nothing keeps what it leaves out"));
  if (*sums.total != 1)
    return add(FindingKind::kScaled, any, any.replica,
               fmt::format("every gradient counts {:.6g} times in the end, not once",
                           number_of(*sums.total)));
  // Only the kernel knows whether a kept residual is passed on later.
  add(FindingKind::kUndeclared, any, any.replica,
      made_by_calls(plan_, budget_, makers)
          ? fmt::format("all gradients are kept until they are applied, but kernel {} does not say "
                        "that it sends what it reads (CallOptions::effect)",
                        makers_of(plan_, budget_, makers))
          : fmt::format("all gradients are kept until they are applied, but it is not known "
                        "whether {} lets them out",
                        makers_of(plan_, budget_, makers)));
}

// Periods until every gradient has reached everything that it ever reaches.
void ClassJudge::measure_delay() {
  if (conserved_) {
    report_.delay = periods_to_spread(it_, gradients_.size(), budget_);
    return;
  }
  for (std::uint32_t g = 0; g < gradients_.size(); ++g) {
    std::optional<std::uint32_t> only_replica;
    if (report_.alone) only_replica = gradients_[g].replica;
    report_.delay = std::max(report_.delay, periods_to_arrive(it_, g, only_replica, budget_));
  }
}

}  // namespace convoy::check
