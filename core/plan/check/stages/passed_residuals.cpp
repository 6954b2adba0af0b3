#include "core/plan/check/stages/passed_residuals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "core/plan/check/recurrence/core_states.hpp"
#include "core/plan/check/recurrence/long_run.hpp"
#include "core/plan/check/recurrence/opaque_effects.hpp"
#include "core/plan/check/recurrence/period_map.hpp"
#include "core/plan/check/recurrence/reachable.hpp"
#include "core/plan/check/symbolic/held_alike.hpp"

namespace convoy::check {
namespace {

constexpr std::size_t kMostStatesOfResiduals = 256;
constexpr double kRounding = 1e-6;  // of a count that is a sum of numbers

// The elements of the atom that a stretch of memory holds.
ElementRange elements_of(const Term& term, const ElementRange& range) {
  const std::int64_t first = static_cast<std::int64_t>(range.first) + term.shift;
  return {static_cast<std::uint64_t>(first), range.count};
}

class PassedJudge {
 public:
  PassedJudge(const Plan& stage, const SymbolicRun& run, Budget& budget)
      : plan_(stage),
        run_(run),
        budget_(budget),
        period_(run_from_held(stage, budget, run)),
        values_(period_->values()) {}

  PassedResiduals judge() {
    const PeriodMap map = map_period(plan_, *period_, run_, Begun::kEarlierStages);
    for (const PeriodClass& it : map.classes)
      if (const auto residual = residual_of(it)) judge_class(it, *residual);
    look_for_unread(map);
    if (!map.faults.empty()) {
      const PeriodFault& fault = map.faults.front();
      result_.findings.push_back(
          {FindingKind::kUnknown, CONVOY_NONE, CONVOY_NONE, fault.range,
           "memory holds what was rounded off or compressed away, and it is not known whether "
           "that gets into the parameters once"});
    }
    return std::move(result_);
  }

 private:
  // Residuals that the stage reads, though nothing of them gets to a forward.
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

  // A state that holds such errors beside the parameters.
  std::optional<std::size_t> residual_of(const PeriodClass& it) const {
    for (std::size_t i = 0; i < it.states.size(); ++i)
      if (is_residual(it, i)) return i;
    return std::nullopt;
  }

  bool is_residual(const PeriodClass& it, std::size_t state) const {
    return plan_.buffers[it.states[state].buffer].kind == CONVOY_BUFFER_PERSISTENT &&
           !it.start_errors[state].empty();
  }

  void add(FindingKind kind, const PeriodClass& it, std::size_t residual, const std::string& what) {
    const PeriodRead& read = it.reads.front();
    result_.findings.push_back({kind, CONVOY_NONE, CONVOY_NONE, read.range,
                                fmt::format("{} holds what was rounded off or compressed away, {}",
                                            plan_.buffer_name(it.states[residual].buffer), what)});
  }

  void judge_class(const PeriodClass& it, std::size_t residual) {
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
    if (limit.kind != LongRun::kSettles)
      if (const auto part = reachable_part(it, values_))
        return judge_limit(*part, limit_of(part->step), residual, it);
    judge_limit(it, limit, residual, it);
  }

  // `whole` has the residual among its states, `it` may be the part of it that can be reached.
  void judge_limit(const PeriodClass& it, const Limit& limit, std::size_t residual,
                   const PeriodClass& whole) {
    if (limit.kind == LongRun::kGrows)
      return add(FindingKind::kUnstable, whole, residual,
                 "and the stage adds that again in every step: let it set this memory anew, as "
                 "error feedback does, or clear it");
    if (limit.kind == LongRun::kOscillates)
      return add(FindingKind::kUnknown, whole, residual, "which neither settles nor fades");
    std::vector<LinearRow> rows;
    for (const PeriodRead& read : it.reads) rows.push_back(read.states);
    const FieldMatrix reads = multiply(to_matrix(rows, it.states.size()), limit.kept);
    const FieldMatrix weights = multiply(reads, limit.conserved);
    for (std::size_t r = 0; r < weights.rows(); ++r) judge_read(it, weights, r, residual, whole);
  }

  // The errors that a residual holds, in what one forward reads in the end.
  void judge_read(const PeriodClass& it, const FieldMatrix& weights, std::size_t read,
                  std::size_t residual, const PeriodClass& whole) {
    std::map<std::uint32_t, Weight> sums;
    for (std::size_t i = 0; i < whole.states.size(); ++i)
      if (is_residual(whole, i))
        for (const Addend& error : whole.start_errors[i])
          sums.try_emplace(error.index, Weight{0, 0});
    for (std::size_t i = 0; i < it.states.size(); ++i)
      for (const Addend& error : it.start_errors[i]) {
        const auto sum = sums.find(error.index);
        if (sum == sums.end()) continue;
        const std::uint64_t weight = weights.at(read, i);
        sum->second = sum->second + Weight{weight, number_of(weight)} * error.weight;
      }
    for (const auto& [unused, sum] : sums) {
      if (sum.is_zero()) continue;
      result_.loses = true;
      // What is lost counts once, and less where a part of it is brought back.
      const double times = -sum.value * plan_.cluster->replicas();
      if (times < -kRounding || times > 1 + kRounding)
        return add(
            FindingKind::kDoubled, whole, residual,
            fmt::format("and that gets into the parameters {:.6g} times, not once", 1 - times));
    }
  }

  const Plan& plan_;
  const SymbolicRun& run_;
  Budget& budget_;
  std::unique_ptr<SymbolicRun> period_;
  const ValueTable& values_;
  PassedResiduals result_;
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
  const bool only_errors = std::ranges::all_of(
      terms, [&](const Term& term) { return values.atom(term.atom).kind == AtomKind::kCast; });
  if (!only_errors) return Residue::kMore;
  return terms.empty() ? Residue::kNothing : Residue::kErrors;
}

HeldErrors errors_in_reach(const Plan& stage, SymbolicRun& run) {
  HeldErrors held;
  for (const Operation& operation : stage.prologue)
    for (const PlanSpan& span : operation.writes)
      if (stage.buffers[span.buffer].kind == CONVOY_BUFFER_PERSISTENT)
        add_errors(run, span.buffer, {span.first, span.count}, held);
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

PassedResiduals judge_passed_residuals(const Plan& stage, const SymbolicRun& run, Budget& budget) {
  return PassedJudge(stage, run, budget).judge();
}

}  // namespace convoy::check
