#include "core/plan/check/stages/inherited_residuals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "core/plan/check/recurrence/core_states.hpp"
#include "core/plan/check/recurrence/matrix_limit.hpp"
#include "core/plan/check/recurrence/opaque_effects.hpp"
#include "core/plan/check/recurrence/period_map.hpp"
#include "core/plan/check/recurrence/reachable_subspace.hpp"
#include "core/plan/check/symbolic/induction.hpp"

namespace convoy::plan::check {
namespace {

constexpr std::size_t kMostStatesOfResiduals = 256;
constexpr double kRounding = 1e-6;  // relative, for a count that is a sum of numbers

// Returns the elements of the atom that a stretch of memory holds.
ElementRange elements_of(const Term& term, const ElementRange& range) {
  const std::int64_t first = static_cast<std::int64_t>(range.first) + term.shift;
  return {static_cast<std::uint64_t>(first), range.count};
}

class InheritedResidualsJudge {
 public:
  InheritedResidualsJudge(const Plan& stage, const SymbolicRun& run, const EarlierCounts& counts,
                          Budget& budget)
      : plan_(stage),
        run_(run),
        counts_(counts),
        changed_{counts_by_changed_momentum(counts, false),
                 counts_by_changed_momentum(counts, true)},
        budget_(budget),
        period_(run_inductive_period(stage, budget, run)),
        values_(period_->values()) {}

  InheritedResiduals judge() {
    const PeriodMap map = map_period(plan_, *period_, run_, Begun::kEarlierStages);
    for (const LinearSystem& it : map.systems) {
      const Residual residual = residual_of(it);
      if (residual || !counts_.empty()) judge_system(it, residual, map.earlier);
    }
    judge_counts();
    look_for_unread(map);
    if (!map.faults.empty()) {
      const PeriodFault& fault = map.faults.front();
      result_.findings.push_back(
          {FindingKind::kUnknown, CONVOY_NONE, CONVOY_NONE, fault.range,
           fmt::format("memory holds {}, and it is not known whether that gets into the parameters "
                       "{}",
                       counts_.empty() ? "what was rounded off or compressed away"
                                       : "gradients of earlier stages",
                       counts_.empty() ? "once" : "as it should")});
    }
    return std::move(result_);
  }

 private:
  using Residual = std::optional<std::size_t>;  // the index of its state

  // Looks for residuals that the stage reads, though nothing of them reaches a forward.
  void look_for_unread(const PeriodMap& map) {
    for (const PeriodState& it : map.unread)
      note_unread(it.buffer, run_.memory(it.buffer).at(it.range.first));
    for (std::uint32_t b = 0; b < plan_.buffers.size(); ++b)
      if (!period_->relevant(b))
        for (const auto& [unused, value] : run_.memory(b).intervals()) note_unread(b, value);
  }

  void note_unread(std::uint32_t buffer, ValueId value) {
    if (plan_.buffers[buffer].kind == CONVOY_BUFFER_PERSISTENT)
      result_.loses = result_.loses || residue_of(run_.values(), value) == Residue::kErrors;
  }

  // Returns a state that holds such errors besides the parameters.
  Residual residual_of(const LinearSystem& it) const {
    for (std::size_t i = 0; i < it.states.size(); ++i)
      if (is_residual(it, i)) return i;
    return std::nullopt;
  }

  bool is_residual(const LinearSystem& it, std::size_t state) const {
    return plan_.buffers[it.states[state].buffer].kind == CONVOY_BUFFER_PERSISTENT &&
           !it.start_errors[state].empty();
  }

  void add(FindingKind kind, const LinearSystem& it, Residual residual, const std::string& what) {
    const std::string held = residual
                                 ? fmt::format("{} holds what was rounded off or compressed away",
                                               plan_.buffer_name(it.states[*residual].buffer))
                                 : "memory holds gradients of earlier stages";
    result_.findings.push_back({kind, CONVOY_NONE, CONVOY_NONE, it.reads.front().range,
                                fmt::format("{}, {}", held, what)});
  }

  void judge_system(const LinearSystem& it, Residual residual,
                    const std::vector<GradientKey>& earlier) {
    if (!it.opaque_atoms.empty())
      return add(FindingKind::kUndeclared, it, residual,
                 fmt::format("and it is not known whether that gets into the parameters once: {}",
                             unknown_effect(plan_, values_, it.opaque_atoms)));
    const std::size_t dense = core_states(it.step).core.size();
    if (dense > kMostStatesOfResiduals)
      return add(FindingKind::kBudget, it, residual,
                 fmt::format("and {} stretches of memory depend on it from step to step; {} can be "
                             "judged together",
                             dense, kMostStatesOfResiduals));
    budget_.spend(dense * dense * dense / 16 + it.states.size(), it.reads.front().operation);
    const Limit limit = limit_of(it.step);
    if (limit.kind != Stability::kConverges)
      if (const auto part = reachable_subspace(it, values_))
        return judge_limit(*part, limit_of(part->step), residual, it, earlier);
    judge_limit(it, limit, residual, it, earlier);
  }

  // `whole` has the residual among its states. `it` may be the reachable subspace of `whole`.
  void judge_limit(const LinearSystem& it, const Limit& limit, Residual residual,
                   const LinearSystem& whole, const std::vector<GradientKey>& earlier) {
    if (limit.kind == Stability::kDiverges)
      return add(FindingKind::kUnstable, whole, residual,
                 "and the stage adds that again in every step: let it set this memory anew, as "
                 "error feedback does, or clear it");
    if (limit.kind == Stability::kOscillates)
      return add(FindingKind::kUnknown, whole, residual, "which neither settles nor fades");
    std::vector<LinearRow> rows;
    for (const PeriodRead& read : it.reads) rows.push_back(read.states);
    const FieldMatrix reads = multiply(to_matrix(rows, it.states.size()), limit.kept);
    const FieldMatrix weights = multiply(reads, limit.conserved);
    for (std::size_t r = 0; r < weights.rows(); ++r) {
      if (residual) judge_read(it, weights, r, *residual, whole);
      if (!counts_.empty()) judge_earlier(it, weights, r, earlier);
    }
  }

  // Judges the initial contents of memory in what one forward reads in the end: the first
  // parameters must count once, and every earlier gradient as often as it should.
  void judge_earlier(const LinearSystem& it, const FieldMatrix& weights, std::size_t read,
                     const std::vector<GradientKey>& earlier) {
    Weight first{0, 0};
    std::map<GradientKey, Weight> sums;
    for (std::uint32_t r = 0; r < plan_.cluster->replicas(); ++r)
      for (std::uint64_t t = 0; t < counts_.of_compute.size(); ++t)
        if (counts_.of_compute[t] != kNotApplied) sums[{r, t}] = {0, 0};
    budget_.spend(sums.size() + it.states.size(), it.reads.front().operation);
    for (std::size_t i = 0; i < it.states.size(); ++i) {
      const Weight weight = from_field(weights.at(read, i));
      if (weight.is_zero()) continue;
      budget_.spend(it.start_gradients[i].size(), it.reads.front().operation);
      first = first + weight * it.start[i];
      for (const Addend& gradient : it.start_gradients[i]) {
        Weight& sum = sums[earlier[gradient.index]];
        sum = sum + weight * gradient.weight;
      }
    }
    if (first.field != 1)
      return report_earlier(FindingKind::kUnknown, it.reads[read], CONVOY_NONE,
                            "the parameters of the stage before do not stay");
    for (auto& ways : changed_)
      if (!std::ranges::all_of(
              sums, [&](const auto& sum) { return counts_as(ways, sum.first, sum.second); }))
        ways.clear();
    if (unlike_) return;  // the first such finding is enough
    for (const auto& [key, sum] : sums)
      if (!counts_as(counts_.of_compute, key, sum)) return report_count(key, sum, it.reads[read]);
  }

  double part_of(const std::vector<double>& counts, const GradientKey& key,
                 const Weight& sum) const {
    return -sum.value * plan_.cluster->replicas() / counts[key.compute];
  }

  bool counts_as(const std::vector<double>& counts, const GradientKey& key,
                 const Weight& sum) const {
    return !counts.empty() && !sum.is_zero() &&
           std::fabs(part_of(counts, key, sum) - 1) < kRounding;
  }

  void report_count(const GradientKey& key, const Weight& sum, const PeriodRead& read) {
    unlike_ = result_.findings.size();
    const std::uint64_t steps = counts_.of_compute.size() - key.compute;
    if (sum.is_zero())
      report_earlier(FindingKind::kMissing, read, key.replica,
                     fmt::format("the parameters lack gradients of before, first that of replica "
                                 "{} {} steps before",
                                 key.replica, steps));
    else
      report_earlier(FindingKind::kUnknown, read, key.replica,
                     fmt::format("a gradient of replica {} of {} steps before counts {:.6g} times "
                                 "as often in the end as others of its stage",
                                 key.replica, steps, part_of(counts_.of_compute, key, sum)));
  }

  // A momentum must have changed in the same way for all replicas and variables, or for none.
  void judge_counts() {
    const auto fits = std::ranges::find_if(changed_, [](const auto& it) { return !it.empty(); });
    if (!unlike_ || fits == std::end(changed_)) return;
    result_.findings.erase(result_.findings.begin() + static_cast<std::ptrdiff_t>(*unlike_));
    result_.changed = *fits;
  }

  void report_earlier(FindingKind kind, const PeriodRead& read, std::uint32_t replica,
                      const std::string& what) {
    result_.findings.push_back({kind, CONVOY_NONE, replica, read.range, what});
  }

  // Judges the errors that a residual holds, in what one forward reads in the end.
  void judge_read(const LinearSystem& it, const FieldMatrix& weights, std::size_t read,
                  std::size_t residual, const LinearSystem& whole) {
    std::map<std::uint32_t, Weight> sums;
    for (std::size_t i = 0; i < whole.states.size(); ++i)
      if (is_residual(whole, i))
        for (const Addend& error : whole.start_errors[i])
          sums.try_emplace(error.index, Weight{0, 0});
    for (std::size_t i = 0; i < it.states.size(); ++i)
      for (const Addend& error : it.start_errors[i]) {
        const auto sum = sums.find(error.index);
        if (sum == sums.end()) continue;
        sum->second = sum->second + from_field(weights.at(read, i)) * error.weight;
      }
    for (const auto& [unused, sum] : sums) {
      if (sum.is_zero()) continue;
      result_.loses = true;
      // A lost part counts as gradients do, or less if some of it is brought back.
      const double most = counts_.empty() ? 1 : std::max(1.0, std::ranges::max(counts_.of_compute));
      const double times = -sum.value * plan_.cluster->replicas() / most;
      if (times < -kRounding || times > 1 + kRounding)
        return add(
            FindingKind::kDoubled, whole, residual,
            fmt::format("and that gets into the parameters {:.6g} times, not once", 1 - times));
    }
  }

  const Plan& plan_;
  const SymbolicRun& run_;
  const EarlierCounts& counts_;
  std::vector<double> changed_[2];     // only as long as that is possible
  std::optional<std::size_t> unlike_;  // the finding about a gradient that counts differently
  Budget& budget_;
  std::unique_ptr<SymbolicRun> period_;
  const ValueTable& values_;
  InheritedResiduals result_;
};

void add_errors(SymbolicRun& run, std::uint32_t buffer, const ElementRange& range,
                HeldErrors& held) {
  ValueTable& values = run.values();
  for (const Piece& piece : run.memory(buffer).read(range.first, range.count, range.first, values))
    for (const Term& term : values.expand(piece.value, Casts::kErrors))
      if (values.atom(term.atom).kind == AtomKind::kCast)
        held[term.atom].add(elements_of(term, {range.first + piece.first, piece.count}));
}

}  // namespace

Residue residue_of(const ValueTable& values, ValueId id) {
  const Value& value = values.value(id);
  if (value.poison || !value.constant.is_zero()) return Residue::kMore;
  const std::vector<Term> terms = values.expand(id, Casts::kErrors);
  Residue result = Residue::kNothing;
  for (const Term& term : terms) {
    const AtomKind kind = values.atom(term.atom).kind;
    if (kind != AtomKind::kCast && kind != AtomKind::kGradient) return Residue::kMore;
    result = std::max(result, kind == AtomKind::kCast ? Residue::kErrors : Residue::kGradients);
  }
  return result;
}

HeldErrors errors_in_reach(const Plan& stage, SymbolicRun& run) {
  HeldErrors held;
  for (const Operation& operation : stage.prologue)
    for (const PlanSpan& span : operation.writes)
      if (stage.buffers[span.buffer].kind == CONVOY_BUFFER_PERSISTENT)
        add_errors(run, span.buffer, range_of(span), held);
  return held;
}

bool has_dropped(const HeldErrors& before, const Content& model, const Plan& stage,
                 SymbolicRun& run) {
  if (before.empty()) return false;
  HeldErrors now;
  for (std::uint32_t b = 0; b < stage.buffers.size(); ++b)
    if (stage.buffers[b].kind == CONVOY_BUFFER_PERSISTENT)
      add_errors(run, b, {0, stage.buffers[b].count}, now);
  bool dropped = false;
  for (const Piece& piece : model)
    for (const Term& term : run.values().expand(piece.value, Casts::kErrors)) {
      const auto it = before.find(term.atom);
      if (it == before.end()) continue;
      now[term.atom].for_each_gap(
          elements_of(term, {piece.first, piece.count}),
          [&](const ElementRange& gap) { dropped = dropped || it->second.overlaps(gap); });
    }
  return dropped;
}

InheritedResiduals judge_inherited_residuals(const Plan& stage, const SymbolicRun& run,
                                             const EarlierCounts& counts, Budget& budget) {
  return InheritedResidualsJudge(stage, run, counts, budget).judge();
}

}  // namespace convoy::plan::check
