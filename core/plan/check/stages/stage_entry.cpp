#include "core/plan/check/stages/stage_entry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "core/base/text/counted.hpp"
#include "core/plan/check/findings.hpp"
#include "core/plan/check/stages/inherited_matrices.hpp"
#include "core/plan/range_set.hpp"
#include "core/plan/schedule/live_ranges.hpp"
#include "core/plan/stages.hpp"

namespace convoy::plan::check {
namespace {

using Ranges = std::vector<std::vector<ElementRange>>;  // per buffer

RangeSet set_of(const std::vector<ElementRange>& ranges) {
  RangeSet result;
  for (const ElementRange& range : ranges) result.add(range);
  return result;
}

// Returns how often each gradient counts in the end; 0 if this differs between variables.
double counts_of(const CheckReport& report) {
  return report.counts - report.least > 1e-9 * report.counts ? 0 : report.counts;
}

class EntryJudge {
 public:
  // The arguments of judge_entry().
  EntryJudge(const Plan& plan, std::size_t stage, SymbolicRun& run, const EarlierStages& before,
             Budget& budget)
      : plan_(plan),
        stage_(stage),
        alone_(stage_alone(plan, stage)),
        run_(run),
        before_(before),
        budget_(budget),
        proved_(alone_, budget, Start::kLinear),
        live_(live_ranges(alone_, 0)),
        model_(plan.arena->elements, run.values().zero()) {}

  StageTransition judge() {
    require_nothing_undefined();
    require_optimizer_state();
    proved_.run_prologue();
    if (!find_model()) return std::move(result_);
    for (std::uint32_t b = 0; b < plan_.buffers.size(); ++b)
      for (const ElementRange& range : live_[b]) compare(b, range);
    // Gradients that are missing in the model may be in another buffer.
    if (result_.findings.empty() && !passes_gradients_) require_all_gradients();
    if (result_.findings.empty() && !matrices_.empty()) follow_matrices();
    if (result_.findings.empty() && (passes_residuals_ || passes_gradients_)) follow_residuals();
    look_for_losses();
    return std::move(result_);
  }

  // Whether all memory is as in the proof of the stage, but with the model in place of the first
  // parameters. If the model is right, training continues as if it began here.
  bool begins_anew() {
    for (std::uint32_t b = 0; b < plan_.buffers.size(); ++b) {
      const std::uint32_t kind = plan_.buffers[b].kind;
      if (kind == CONVOY_BUFFER_SCRATCH || kind == CONVOY_BUFFER_GRADIENT) continue;
      const std::uint64_t count = plan_.buffers[b].count;
      for (const Piece& piece : proved_.memory(b).read(0, count, 0, proved_.values()))
        if (!is_as_proved(b, piece)) return false;
    }
    return true;
  }

 private:
  void add(FindingKind kind, std::uint32_t replica, const ElementRange& range,
           const std::string& what) {
    if (!seen_.insert({kind, what}).second) return;
    result_.findings.push_back({kind, CONVOY_NONE, replica, range, "where it begins: " + what});
  }

  void require_nothing_undefined() {
    const Plan stage = stage_of(plan_, stage_);
    std::vector<RangeSet> written(plan_.buffers.size());
    for (const std::vector<Operation>* section : sections_of(stage))
      for (const Operation& operation : *section) {
        for (const PlanSpan& span : operation.reads) require_written(operation, span, written);
        for (const PlanSpan& span : operation.writes) written[span.buffer].add(range_of(span));
      }
  }

  void require_written(const Operation& operation, const PlanSpan& span,
                       const std::vector<RangeSet>& written) {
    const std::uint32_t kind = plan_.buffers[span.buffer].kind;
    if (kind != CONVOY_BUFFER_SCRATCH && kind != CONVOY_BUFFER_GRADIENT) return;
    written[span.buffer].for_each_gap(range_of(span), [&](const ElementRange& gap) {
      add(FindingKind::kUninitialised, CONVOY_NONE, gap,
          fmt::format("{} (operation {}) reads {}, which the stage has not written: gradients and "
                      "scratch memory do not go over into it",
                      operation_name(operation.kind), operation.id, plan_.span_name(span)));
    });
  }

  void require_optimizer_state() {
    const Ranges before = updated_ranges(stage_of(plan_, stage_ - 1));
    const Ranges now = updated_ranges(stage_of(plan_, stage_));
    for (std::uint32_t b = 0; b < now.size(); ++b) {
      const RangeSet known = set_of(before[b]);
      for (const ElementRange& range : now[b])
        known.for_each_gap(range, [&](const ElementRange& gap) {
          add(FindingKind::kUnknown, CONVOY_NONE, gap,
              fmt::format("{} is updated, which the stage before does not update: the optimizer's "
                          "state is not there",
                          plan_.buffer_name(b)));
        });
    }
  }

  // Finds the contents of the first buffer that holds the model. All other buffers are compared
  // with it.
  bool find_model() {
    RangeSet known;
    for (std::uint32_t b = 0; b < plan_.buffers.size(); ++b) {
      if (!plan_.buffers[b].is_of_model()) continue;
      for (const ElementRange& range : live_[b])
        known.for_each_gap(range, [&](const ElementRange& gap) {
          model_.write(gap.first, run_.memory(b).read(gap.first, gap.count, gap.first, values()),
                       gap.first, values());
        });
      for (const ElementRange& range : live_[b]) known.add(range);
    }
    bool whole = true;
    known.for_each_gap({0, plan_.arena->elements}, [&](const ElementRange& gap) {
      whole = false;
      add(FindingKind::kUnknown, CONVOY_NONE, gap,
          "it is not known which memory the parameters come from");
    });
    return whole;
  }

  void require_all_gradients() {
    for (const Piece& piece : model_.read(0, plan_.arena->elements, 0, values())) {
      const ElementRange range{piece.first, piece.count};
      if (values().value(piece.value).poison) {
        add(FindingKind::kUninitialised, CONVOY_NONE, range,
            "the parameters are memory that nothing has written");
        continue;
      }
      std::set<std::pair<std::uint32_t, std::uint64_t>> missing;
      for (std::uint32_t r = 0; r < plan_.cluster->replicas(); ++r)
        for (std::uint64_t t = 0; t < run_.computes(r); ++t)
          if (before_.mean_over(t) > 0) missing.insert({r, t});
      for (const Term& term : values().expand(piece.value, Casts::kErrors))
        judge_term(term, range, missing);
      if (missing.empty()) continue;
      const auto [replica, step] = *missing.begin();
      add(FindingKind::kMissing, replica, range,
          fmt::format(
              "the parameters lack gradients of before, first that of replica {} {} before{}",
              replica, convoy::counted(run_.computes(replica) - step, "step"),
              forgotten_memory(replica)));
    }
  }

  void judge_term(const Term& term, const ElementRange& range,
                  std::set<std::pair<std::uint32_t, std::uint64_t>>& missing) {
    const Atom& atom = values().atom(term.atom);
    switch (atom.kind) {
      case AtomKind::kInitial:
        if (term.weight.field != 1 || term.shift != 0)
          add(FindingKind::kScaled, CONVOY_NONE, range,
              fmt::format("the parameters hold {:.6g} times the first ones", term.weight.value));
        return;
      case AtomKind::kGradient: {
        missing.erase({atom.replica, atom.step});
        const Weight counts =
            term.weight * whole(plan_.cluster->replicas() * before_.mean_over(atom.step));
        if ((term.shift != 0 || (-counts).field != 1) &&
            partial_.insert({atom.replica, range.first}).second)
          add(FindingKind::kUnknown, atom.replica, range,
              fmt::format("the parameters hold a gradient of replica {} {:.6g} times so far, not "
                          "{}{}",
                          atom.replica, -counts.value, times_in_the_end(atom.step),
                          forgotten_memory(atom.replica)));
        return;
      }
      case AtomKind::kCast:
        return;
      default:
        add(FindingKind::kUnknown, CONVOY_NONE, range,
            "only the run knows what the parameters hold");
    }
  }

  // Returns how often the gradients of this compute count according to their stage.
  std::string times_in_the_end(std::uint64_t compute) const {
    const auto mean_over = static_cast<double>(before_.mean_over(compute));
    const double times = before_.counts.of_compute[compute] * mean_over;
    if (times <= 0 || !std::isfinite(times) || std::fabs(times - 1) < 1e-9) return "once";
    return fmt::format("{:.6g} times", times);
  }

  // Returns the name of memory that the previous stage keeps and this one does not: the replica's
  // own memory, if there is some.
  const std::string& forgotten_memory(std::uint32_t replica) {
    const auto [entry, is_new] = forgotten_.try_emplace(replica);
    if (is_new) entry->second = find_forgotten_memory(replica);
    return entry->second;
  }

  std::string find_forgotten_memory(std::uint32_t replica) const {
    const Ranges kept = live_ranges(stage_of(plan_, stage_ - 1), 0);
    std::set<std::uint32_t> written;
    for (const Operation& operation : stage_of(plan_, stage_).prologue)
      for (const PlanSpan& span : operation.writes) written.insert(span.buffer);
    std::string text;
    for (std::uint32_t b = 0; b < plan_.buffers.size(); ++b) {
      if (plan_.buffers[b].kind != CONVOY_BUFFER_PERSISTENT || kept[b].empty()) continue;
      const bool is_own = plan_.cluster->places[plan_.buffers[b].place].replica == replica;
      if ((!live_[b].empty() && !written.contains(b)) || (!text.empty() && !is_own)) continue;
      text = fmt::format("; {} {}, which the stage before goes on with from step to step",
                         written.contains(b) ? "its prologue writes" : "it does not read",
                         plan_.buffer_name(b));
      if (is_own) break;
    }
    return text;
  }

  // Compares memory that was zero, or held the first parameters, when the stage was proved.
  void compare(std::uint32_t buffer, const ElementRange& range) {
    const std::uint32_t kind = plan_.buffers[buffer].kind;
    if (kind == CONVOY_BUFFER_SCRATCH || kind == CONVOY_BUFFER_GRADIENT) return;
    const Content wanted =
        proved_.memory(buffer).read(range.first, range.count, range.first, proved_.values());
    for (const Piece& piece : wanted) {
      const ElementRange part{range.first + piece.first, piece.count};
      const std::vector<Term> terms = proved_.values().expand(piece.value, Casts::kKept);
      if (terms.empty() && proved_.values().value(piece.value).constant.is_zero())
        require_residual(buffer, part);
      else if (is_matrix(proved_.values(), piece.value) && holds_matrix(buffer, part))
        matrices_.push_back({buffer, part});
      else if (const auto shift = shift_of_model(piece.value))
        require_model(buffer, part, *shift);
      else
        add(FindingKind::kUnknown, CONVOY_NONE, part,
            fmt::format("{} should begin with something else than parameters or zeros",
                        plan_.buffer_name(buffer)));
    }
  }

  // Element i of the buffer stands for element i + shift of the arena.
  bool holds_model(std::uint32_t buffer, const ElementRange& part, std::int64_t shift) {
    const auto from = static_cast<std::uint64_t>(static_cast<std::int64_t>(part.first) + shift);
    return run_.memory(buffer).read(part.first, part.count, from, values()) ==
           model_.read(from, part.count, from, values());
  }

  bool is_as_proved(std::uint32_t buffer, const Piece& proved) {
    const ElementRange part{proved.first, proved.count};
    if (const auto shift = shift_of_model(proved.value)) return holds_model(buffer, part, *shift);
    const Content is = run_.memory(buffer).read(part.first, part.count, part.first, values());
    return proved.value == proved_.values().zero() && is.size() == 1 &&
           is.front().value == values().zero();
  }

  // Returns where in the arena the value comes from, if it is a part of the first parameters and
  // nothing else.
  std::optional<std::int64_t> shift_of_model(ValueId proved) const {
    const std::vector<Term> terms = proved_.values().expand(proved, Casts::kKept);
    if (terms.size() != 1 || terms.front().weight.field != 1 ||
        !proved_.values().value(proved).constant.is_zero() ||
        proved_.values().atom(terms.front().atom).kind != AtomKind::kInitial)
      return std::nullopt;
    return terms.front().shift;
  }

  void require_model(std::uint32_t buffer, const ElementRange& part, std::int64_t shift) {
    if (holds_model(buffer, part, shift)) return;
    const std::uint32_t replica = plan_.buffers[buffer].kind == CONVOY_BUFFER_PARAMETERS
                                      ? plan_.buffers[buffer].owner
                                      : CONVOY_NONE;
    add(FindingKind::kUnknown, replica, part,
        fmt::format("{} does not hold the parameters as the others do: let the stage's prologue "
                    "copy or average them",
                    plan_.buffer_name(buffer)));
  }

  void require_residual(std::uint32_t buffer, const ElementRange& part) {
    for (const Piece& piece :
         run_.memory(buffer).read(part.first, part.count, part.first, values())) {
      const Residue residue = residue_of(values(), piece.value);
      if (is_matrix(values(), piece.value))
        matrices_.push_back({buffer, {part.first + piece.first, piece.count}});
      else if (residue == Residue::kMore)
        add(FindingKind::kUnknown, CONVOY_NONE, part,
            fmt::format("{} holds more than gradients and what was rounded off or compressed away: "
                        "let the stage's prologue set it",
                        plan_.buffer_name(buffer)));
      passes_residuals_ = passes_residuals_ || residue == Residue::kErrors;
      passes_gradients_ = passes_gradients_ || residue == Residue::kGradients;
    }
  }

  bool holds_matrix(std::uint32_t buffer, const ElementRange& part) {
    return std::ranges::all_of(
        run_.memory(buffer).read(part.first, part.count, part.first, values()),
        [&](const Piece& piece) { return is_matrix(values(), piece.value); });
  }

  // Judges matrices. The stage was proved with others, or with zeros.
  void follow_matrices() {
    const auto unfit = find_unfit_matrix(alone_, proved_, run_, matrices_, budget_);
    if (!unfit) return;
    add(FindingKind::kUnknown, CONVOY_NONE, unfit->where.range,
        fmt::format("{} holds a matrix of earlier steps, {}: let the stage's prologue set it",
                    plan_.buffer_name(unfit->where.buffer), unfit->why));
  }

  // Judges residuals. The stage was proved with zeros instead.
  void follow_residuals() {
    const InheritedResiduals inherited = judge_inherited_residuals(
        alone_, run_, passes_gradients_ ? before_.counts : EarlierCounts(), budget_);
    for (const SystemFinding& it : inherited.findings) add(it.kind, it.replica, it.range, it.what);
    result_.loses = result_.loses || inherited.loses;
    note_changed_momentum(inherited.changed);
  }

  void note_changed_momentum(const std::vector<double>& counts) {
    if (counts.empty()) return;
    const auto mean_over = static_cast<double>(before_.means.back());
    const auto of_stage =
        counts.begin() + static_cast<std::ptrdiff_t>(before_.counts.stages.rbegin()[1].first);
    const auto [least, most] = std::minmax_element(of_stage, counts.end());
    if (*most - *least > 1e-9 * *most)
      result_.changed_counts = {*least * mean_over, *most * mean_over};
  }

  void look_for_losses() {
    const Content model = model_.read(0, plan_.arena->elements, 0, values());
    result_.loses = result_.loses || has_dropped(before_.errors, model, alone_, run_);
    for (std::uint32_t b = 0; b < plan_.buffers.size(); ++b) {
      if (plan_.buffers[b].kind != CONVOY_BUFFER_PERSISTENT) continue;
      set_of(live_[b]).for_each_gap({0, plan_.buffers[b].count}, [&](const ElementRange& gap) {
        for (const Piece& piece : run_.memory(b).read(gap.first, gap.count, gap.first, values()))
          result_.loses = result_.loses || residue_of(values(), piece.value) == Residue::kErrors;
      });
    }
  }

  ValueTable& values() { return run_.values(); }

  const Plan& plan_;
  std::size_t stage_;
  Plan alone_;
  SymbolicRun& run_;
  const EarlierStages& before_;
  Budget& budget_;
  SymbolicRun proved_;  // has run the prologues that the stage was proved with
  Ranges live_;         // what the stage's body takes over from before
  BufferContent model_;
  StageTransition result_;
  bool passes_residuals_ = false;
  bool passes_gradients_ = false;
  std::vector<InheritedMatrix> matrices_;
  std::set<std::pair<FindingKind, std::string>> seen_;
  std::set<std::pair<std::uint32_t, std::uint64_t>> partial_;  // replica and first element
  std::map<std::uint32_t, std::string> forgotten_;             // by replica; only the replicas
                                                               // asked for
};

}  // namespace

void EarlierStages::add_means(std::uint64_t end, const CheckReport& report) {
  std::vector<std::uint64_t> of_period;
  for (const std::uint64_t computes : report.uneven_updates)
    of_period.insert(of_period.end(), computes, computes);
  if (of_period.empty()) of_period = {report.computes_per_update};
  const double each = counts_of(report);
  if (report.is_sharpness_aware) of_period = {0, 1};
  for (std::size_t i = 0; means.size() < end; ++i) {
    means.push_back(of_period[i % of_period.size()]);
    counts.of_compute.push_back(means.back() == 0 ? kNotApplied
                                                  : each / static_cast<double>(means.back()));
  }
}

void EarlierStages::add_stage(std::uint64_t period, const CheckReport& report) {
  const std::uint64_t means_over = report.uneven_updates.empty() ? report.computes_per_update : 0;
  counts.stages.push_back({means.size(), period, means_over, counts_of(report)});
}

StageEntry judge_entry(const Plan& plan, std::size_t stage, SymbolicRun& run,
                       const EarlierStages& before, Budget& budget) {
  EntryJudge entry(plan, stage, run, before, budget);
  StageEntry result{entry.judge(), false};
  result.is_new_start = result.transition.findings.empty() && entry.begins_anew();
  return result;
}

}  // namespace convoy::plan::check
