#include "core/plan/check/class_judge.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "core/plan/check/audit.hpp"
#include "core/plan/check/averaging.hpp"
#include "core/plan/check/reachable.hpp"

namespace convoy::check {
namespace {

constexpr std::size_t kMostStates = 256;
constexpr std::size_t kFewStates = 32;  // for which matrices are as quick as anything
constexpr int kSettlingPeriods = 8;     // of the start

Weight times(const LinearRow& row, const std::vector<Weight>& held) {
  Weight sum{0, 0};
  for (const Addend& it : row) sum = sum + it.weight * held[it.index];
  return sum;
}

double times(const LinearRow& row, const std::vector<double>& held) {
  double sum = 0;
  for (const Addend& it : row) sum += it.weight.value * held[it.index];
  return sum;
}

// A gradient is subtracted: its weight is what it counts, with the other sign.
std::uint64_t counted(std::uint64_t weight, std::uint64_t replicas) {
  return field_multiply(weight == 0 ? 0 : kPrime - weight, replicas);
}

// The number that a field element stands for, when numerator and denominator are small.
double number(std::uint64_t element) {
  std::uint64_t r0 = kPrime, r1 = element;
  std::int64_t t0 = 0, t1 = 1;
  while (r1 > (std::uint64_t{1} << 30)) {
    const std::uint64_t quotient = r0 / r1;
    r0 = std::exchange(r1, r0 - quotient * r1);
    t0 = std::exchange(t1, t0 - static_cast<std::int64_t>(quotient) * t1);
  }
  return t1 == 0 ? 0 : static_cast<double>(r1) / static_cast<double>(t1);
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
  if (n > kMostStates) {
    add(FindingKind::kBudget, it_.reads.front(), CONVOY_NONE,
        fmt::format("{} stretches of memory depend on each other from step to step; {} can be "
                    "judged together",
                    n, kMostStates));
    return false;
  }
  budget_.spend(n * n * n / 16, it_.reads.front().operation);
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

std::string ClassJudge::names(const std::vector<AtomId>& atoms) const {
  std::set<std::string> result;
  for (const AtomId id : atoms) {
    const Atom& atom = budget_.atom(id);
    const Operation& operation = operation_of(plan_, atom.operation);
    const std::string name =
        operation.kernel.empty() ? std::string(operation_name(operation.kind)) : operation.kernel;
    result.insert(fmt::format("{} (operation {})", name, atom.operation));
  }
  return fmt::format("{}", fmt::join(result, ", "));
}

bool ClassJudge::calls_only() const {
  return std::all_of(it_.opaque_atoms.begin(), it_.opaque_atoms.end(), [&](AtomId id) {
    return operation_of(plan_, budget_.atom(id).operation).kind == OperationKind::kCall;
  });
}

std::string ClassJudge::unknown_effect() const {
  const std::string all = names(it_.opaque_atoms);
  return calls_only()
             ? fmt::format("kernel {} does not say what it does (CallOptions::effect)", all)
             : fmt::format("only the run knows what {} gives", all);
}

// What forwards read is a sum of memory, not what only the run knows.
bool ClassJudge::reads_known() {
  for (const PeriodRead& read : it_.reads)
    if (!read.opaque.empty()) {
      add(FindingKind::kUndeclared, read, read.replica,
          fmt::format("parameters are made of what is not known: {}", unknown_effect()));
      return false;
    }
  return true;
}

// Without gradients the parameters stay what they are, from the first step on.
void ClassJudge::require_start() {
  std::vector<Weight> held = it_.start;
  for (int period = 0; period < kSettlingPeriods; ++period) {
    for (const PeriodRead& read : it_.reads)
      if (times(read.states, held).field != 1) return report_start(read, held);
    std::vector<Weight> next;
    for (const LinearRow& row : it_.step) next.push_back(times(row, held));
    const bool settled =
        std::equal(next.begin(), next.end(), held.begin(),
                   [](const Weight& a, const Weight& b) { return a.field == b.field; });
    held = std::move(next);
    if (settled) return;
  }
  add(FindingKind::kUnknown, it_.reads.front(), it_.reads.front().replica,
      fmt::format("what it is made of has not settled after {} steps without gradients",
                  kSettlingPeriods));
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

// All states become one sum: what that sum gets of a gradient or an error, everything gets.
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
               "what it is made of grows without bound: something is added again in every step");
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

bool ClassJudge::trains_alone(const FieldMatrix& weights) const {
  if (plan_.cluster->replicas() < 2) return false;
  for (std::size_t r = 0; r < it_.reads.size(); ++r)
    for (std::size_t g = 0; g < gradients_.size(); ++g)
      if ((weights.at(r, g) != 0) != (gradients_[g].replica == it_.reads[r].replica)) return false;
  return true;
}

// Every gradient has the same final weight in everything that is read.
void ClassJudge::require_equal(const FieldMatrix& weights) {
  const std::uint64_t replicas = plan_.cluster->replicas();
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
                      number(counted(weights.at(r, g), replicas)), gradients_[0].replica,
                      it_.reads[0].replica, number(counted(weights.at(0, 0), replicas))));
    }
  }
}

// `row` has the final weights of errors in what is read, `weights` those of gradients.
void ClassJudge::judge_noise(const PeriodRead& read, const FieldMatrix& row,
                             const FieldMatrix& weights) {
  ReadNoise noise{read.replica, writer(read), read.range, {}};
  for (std::size_t e = 0; e < it_.error_atoms.size(); ++e) {
    if (row.at(0, e) == 0) continue;
    noise.weights.emplace_back(it_.error_atoms[e], row.at(0, e));
    const std::optional<double> source = weight_of_source(it_.error_atoms[e], weights);
    const double times = source ? number(row.at(0, e)) / *source : 0;
    if (times > 1 + 1e-9 || times < -1e-9) report_error(read, it_.error_atoms[e], times);
  }
  std::sort(noise.weights.begin(), noise.weights.end());
  report_.loses = report_.loses || !noise.weights.empty();
  report_.noise.push_back(std::move(noise));
}

// An error that nothing brings back counts once, and one that is brought back not at all.
void ClassJudge::report_error(const PeriodRead& read, AtomId error, double times) {
  const std::string what =
      times > 0 ? fmt::format(
                      "counts {:.6g} times in the end: it is added where it should be "
                      "subtracted",
                      times)
                : "is brought back more often than once";
  add(FindingKind::kDoubled, read, read.replica,
      fmt::format("what {} leaves out {}", names({error}), what));
}

// The final weight of what a cast or kernel reads: that of a gradient in it.
std::optional<double> ClassJudge::weight_of_source(AtomId error, const FieldMatrix& weights) const {
  for (const Term& term : budget_.expand(budget_.atom(error).inputs.front(), Casts::kThrough)) {
    const Atom& atom = budget_.atom(term.atom);
    const auto at =
        std::find(gradients_.begin(), gradients_.end(), GradientKey{atom.replica, atom.step});
    if (atom.kind != AtomKind::kGradient || at == gradients_.end()) continue;
    const double weight = number(weights.at(0, static_cast<std::size_t>(at - gradients_.begin())));
    if (weight != 0) return weight / term.weight.value;
  }
  return std::nullopt;
}

// Where an update divides by the gradients of several computes, of which it is the only one, these
// count once when they count as in the mean over all of them.
std::uint64_t ClassJudge::computes_of_a_mean() const {
  std::map<std::uint32_t, std::set<std::uint32_t>> updates;  // of a buffer
  std::set<std::uint64_t> divisors;
  for (const LinearApply& apply : applies_) {
    const auto updated = [&](const PeriodState& state) {
      return state.buffer == apply.target && state.range.first >= apply.range.first &&
             state.range.first < apply.range.first + apply.range.count;
    };
    if (std::ranges::none_of(it_.states, updated)) continue;
    updates[apply.target].insert(apply.operation);
    divisors.insert(apply.contributions);
  }
  if (divisors.size() != 1) return 1;
  std::size_t most = 1;
  for (const auto& [unused, operations] : updates) most = std::max(most, operations.size());
  const std::uint64_t computes = plan_.computes / most;
  const std::uint64_t sources = report_.alone ? 1 : plan_.cluster->replicas();
  const bool is_mean = computes * most == plan_.computes && *divisors.begin() == computes * sources;
  return is_mean ? computes : 1;
}

// Whether parameters are made of several others, which may leave a gradient less than it was.
bool ClassJudge::averages_parameters() const {
  for (const LinearRow& row : it_.step)
    if (std::count_if(row.begin(), row.end(),
                      [&](const Addend& it) { return !it_.start[it.index].is_zero(); }) > 1)
      return true;
  return false;
}

// What the mean of all reads has of one period's gradients, so many periods later.
std::vector<double> ClassJudge::responses(std::size_t periods) const {
  std::vector<double> held(it_.states.size(), 0.0);
  for (std::size_t i = 0; i < held.size(); ++i)
    for (const Addend& it : it_.gradients[i]) held[i] -= it.weight.value;
  std::vector<double> result;
  for (std::size_t t = 0; t < periods; ++t) {
    double sum = 0;
    for (const PeriodRead& read : it_.reads) sum += times(read.states, held);
    result.push_back(sum / static_cast<double>(it_.reads.size()));
    std::vector<double> next;
    for (const LinearRow& row : it_.step) next.push_back(times(row, held));
    held = std::move(next);
  }
  return result;
}

// Every gradient counts `total` times what it does in a mean. More than once is right only for
// momentum: what a gradient adds later fades like the powers of some b, and 1 / (1 - b) times is
// the most that those add up to. Less is right where parameters are averaged.
void ClassJudge::judge_total(const FieldMatrix& weights) {
  std::uint64_t first = 0;
  for (std::size_t g = 0; first == 0 && g < gradients_.size(); ++g) first = weights.at(0, g);
  report_.means_over = computes_of_a_mean();
  const std::uint64_t total = field_multiply(
      counted(first, report_.alone ? 1 : plan_.cluster->replicas()), report_.means_over);
  report_.total = total;
  report_.counts = number(total);
  report_.counts_once = total == 1;
  const PeriodRead& any = it_.reads.front();
  const double counts = report_.counts;
  if (report_.counts_once || (counts > 0 && counts < 1 && averages_parameters())) return;
  if (counts < 1)
    return add(FindingKind::kScaled, any, any.replica,
               fmt::format("every gradient counts {:.6g} times in the end, not once", counts));
  const std::vector<double> later = responses(64);
  double fading = 0;
  for (std::size_t t = 8; t + 2 < later.size(); ++t) {
    const double change = later[t + 1] - later[t];
    if (std::fabs(change) > 1e-9 * std::fabs(later.back()))
      fading = std::max(fading, std::fabs((later[t + 2] - later[t + 1]) / change));
  }
  // Momentum between periods, or between the computes of one.
  const double each = std::pow(fading, 1.0 / plan_.computes);
  if (fading > 0 && fading < 1 &&
      (counts * (1 - fading) < 1 + 1e-6 || std::fabs(counts * (1 - each) - 1) < 1e-6))
    return;
  const bool in_full = std::fabs(counts - plan_.cluster->replicas()) < 1e-9;
  add(in_full ? FindingKind::kUnknown : FindingKind::kDoubled, any, any.replica,
      fmt::format("every gradient counts {:.6g} times in the end, not once{}", counts,
                  in_full ? ", as if the replicas' updates were added where a mean is meant" : ""));
}

// Rows w with w A = w and w D = 0.
FieldMatrix ClassJudge::conserved_whatever_kernels_do() const {
  const std::size_t n = it_.states.size();
  const std::size_t kernels = it_.opaque_atoms.size();
  const FieldMatrix step = to_matrix(it_.step, n);
  const FieldMatrix opaque = to_matrix(it_.opaque, kernels);
  FieldMatrix both(n, n + kernels);
  for (std::size_t r = 0; r < n; ++r) {
    for (std::size_t c = 0; c < n; ++c) both.at(r, c) = step.at(r, c);
    both.at(r, r) = field_add(both.at(r, r), kPrime - 1);
    for (std::size_t c = 0; c < kernels; ++c) both.at(r, n + c) = opaque.at(r, c);
  }
  return null_space(transpose(both));
}

// Kernels that declare nothing leave no final weights. But every sum that is conserved whatever
// they write must hold all gradients alike, as much as it holds of the parameters.
void ClassJudge::judge_conserved() {
  const FieldMatrix conserved = conserved_whatever_kernels_do();
  const FieldMatrix held = multiply(conserved, to_matrix(it_.gradients, gradients_.size()));
  const std::uint64_t replicas = plan_.cluster->replicas();
  bool alike = gradients_.size() == replicas * plan_.computes;
  std::optional<std::uint64_t> total;  // of a gradient, per start
  for (std::size_t w = 0; w < conserved.rows(); ++w) {
    std::uint64_t start = 0;
    for (std::size_t i = 0; i < it_.states.size(); ++i)
      start = field_add(start, field_multiply(conserved.at(w, i), it_.start[i].field));
    for (std::size_t g = 0; g < gradients_.size(); ++g) {
      const std::uint64_t weight = counted(held.at(w, g), replicas);
      if (start != 0 && !total) total = field_multiply(weight, field_inverse(start));
      alike = alike && weight == (start == 0 ? 0 : field_multiply(*total, start));
    }
  }
  const PeriodRead& any = it_.reads.front();
  if (!total || !alike)
    return add(FindingKind::kUndeclared, any, any.replica,
               fmt::format("{}, and {}", unknown_effect(),
                           total ? "gradients would not all count alike"
                                 : "nothing keeps what it leaves out"));
  if (*total != 1)
    return add(
        FindingKind::kScaled, any, any.replica,
        fmt::format("every gradient counts {:.6g} times in the end, not once", number(*total)));
  // Whether what is kept gets out again is the kernel's affair.
  add(FindingKind::kUndeclared, any, any.replica,
      calls_only()
          ? fmt::format("all gradients are kept until they are applied, but kernel {} does not say "
                        "that it sends what it reads (CallOptions::effect)",
                        names(it_.opaque_atoms))
          : fmt::format("all gradients are kept until they are applied, but it is not known "
                        "whether {} lets them out",
                        names(it_.opaque_atoms)));
}

// Periods until something of every gradient is in everything that it gets to at all.
void ClassJudge::measure_delay() {
  if (conserved_) {
    report_.delay = periods_to_spread(it_, gradients_.size(), budget_);
    return;
  }
  constexpr std::uint64_t kLongest = 64;
  for (std::size_t g = 0; g < gradients_.size(); ++g) {
    std::vector<Weight> held(it_.states.size(), Weight{0, 0});
    for (std::size_t i = 0; i < held.size(); ++i)
      for (const Addend& it : it_.gradients[i])
        if (it.index == g) held[i] = it.weight;
    for (std::uint64_t period = 0; period < kLongest; ++period) {
      budget_.spend(it_.states.size(), it_.reads.front().operation);
      const bool arrived =
          std::all_of(it_.reads.begin(), it_.reads.end(), [&](const PeriodRead& read) {
            return (report_.alone && read.replica != gradients_[g].replica) ||
                   !times(read.states, held).is_zero();
          });
      report_.delay = std::max(report_.delay, period);
      if (arrived) break;
      std::vector<Weight> next;
      for (const LinearRow& row : it_.step) next.push_back(times(row, held));
      held = std::move(next);
    }
  }
}

}  // namespace convoy::check
