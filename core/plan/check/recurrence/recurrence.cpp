#include "core/plan/check/recurrence/recurrence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "core/plan/check/findings.hpp"
#include "core/plan/check/recurrence/period_map.hpp"
#include "core/plan/check/recurrence/projection_bases.hpp"
#include "core/plan/check/recurrence/system_judge.hpp"
#include "core/plan/check/symbolic/induction.hpp"

namespace convoy::plan::check {
namespace {

class RecurrenceJudge {
 public:
  RecurrenceJudge(const Plan& plan, Budget& budget, bool shares_atoms)
      : plan_(plan),
        begun_(plan, budget),
        run_(run_period_after(begun_, budget, shares_atoms)),
        period_(*run_) {}

  Recurrence judge() {
    const PeriodMap map = map_period(plan_, period_, begun_);
    find_parameter_like();
    for (const PeriodFault& fault : map.faults) report(fault);
    for (const LinearApply& apply : period_.linear_applies()) judge_apply(apply);
    require_turning_bases(map);
    if (findings_.empty()) {
      for (const LinearSystem& it : map.systems) take_system(it, map.gradients);
      require_equal_averages(map);
    } else {
      look_for_restarts(map);
    }
    result_.restarts = only_restarts(map);
    if (findings_.empty() || result_.restarts) compare_systems(map);
    if (map.systems.empty() && findings_.empty())
      add(FindingKind::kUnknown, CONVOY_NONE, CONVOY_NONE, {}, "no forward reads anything");
    note_kernels();
    conclude();
    return std::move(result_);
  }

 private:
  std::unique_ptr<SymbolicRun> run_period_after(SymbolicRun& begun, Budget& budget,
                                                bool shares_atoms) const {
    begun.run_prologue();
    return shares_atoms ? run_inductive_period(plan_, budget, begun)
                        : run_unshared_inductive_period(plan_, budget);
  }

  void add(FindingKind kind, std::uint32_t operation, std::uint32_t replica,
           const ElementRange& range, const std::string& what) {
    if (!seen_.insert({kind, operation, replica}).second) return;
    findings_.push_back(finding_at(plan_, kind, operation, replica, range, what));
  }

  void report(const PeriodFault& it) {
    const std::string buffer =
        it.buffer == CONVOY_NONE ? "the parameters" : plan_.buffer_name(it.buffer);
    switch (it.kind) {
      case PeriodFault::Kind::kShifted:
        return add(
            FindingKind::kShifted, it.operation, CONVOY_NONE, it.range,
            fmt::format("what {} holds comes from {:+} elements further on", buffer, it.value));
      case PeriodFault::Kind::kConstant:
        return add(FindingKind::kForeign, it.operation, CONVOY_NONE, it.range,
                   fmt::format("it puts the constant {} into {}", it.value, buffer));
      case PeriodFault::Kind::kUnknown:
        return add(FindingKind::kUnknown, it.operation, CONVOY_NONE, it.range,
                   fmt::format("what {} holds is not known", buffer));
    }
  }

  // Finds memory that parameters reach. The effect of an apply on it is scaled by the learning
  // rate.
  void find_parameter_like() {
    for (const PlanBuffer& buffer : plan_.buffers) parameter_like_.push_back(buffer.is_of_model());
    for (bool more = true; more;) {
      more = false;
      for (std::uint32_t b = 0; b < plan_.buffers.size(); ++b) {
        if (parameter_like_[b] || plan_.buffers[b].kind != CONVOY_BUFFER_PERSISTENT) continue;
        for (const auto& [unused, value] : period_.memory(b).intervals())
          parameter_like_[b] = parameter_like_[b] || holds_parameters(value);
        more = more || parameter_like_[b];
      }
    }
  }

  bool holds_parameters(ValueId value) const {
    const std::vector<Term> terms = period_.values().expand(value, Casts::kThrough);
    return std::any_of(terms.begin(), terms.end(), [&](const Term& term) {
      const Atom& atom = period_.values().atom(term.atom);
      return atom.kind == AtomKind::kHeld && parameter_like_[atom.buffer];
    });
  }

  // A sum of gradients alone must be a mean. Other sums are judged by their effect.
  void judge_apply(const LinearApply& apply) {
    if (!period_.relevant(apply.target)) return;
    if (means_.contains({apply.gradient_sum, apply.contributions})) return;
    const ValueTable& values = period_.values();
    result_.by_rate = result_.by_rate || holds_parameters(apply.gradient_sum);
    const std::vector<Term> terms = values.expand(apply.gradient_sum, Casts::kThrough);
    Weight total{0, 0};
    for (const Term& term : terms) {
      if (!is_gradient(values.atom(term.atom))) {
        means_.insert({apply.gradient_sum, apply.contributions});
        return;
      }
      if (term.shift != 0)
        return add(FindingKind::kShifted, apply.operation, values.atom(term.atom).replica,
                   apply.range,
                   fmt::format("a gradient comes from {} elements further on", term.shift));
      total = total + term.weight;
    }
    if (terms.empty())
      return add(FindingKind::kMissing, apply.operation, CONVOY_NONE, apply.range,
                 "no gradient is applied, only the optimizer's momentum and weight decay");
    total = total * reciprocal(apply.contributions);
    if (total.field == 1) {
      means_.insert({apply.gradient_sum, apply.contributions});
      return;
    }
    add(total.value > 1 ? FindingKind::kDoubled : FindingKind::kScaled, apply.operation,
        CONVOY_NONE, apply.range,
        fmt::format("the gradients that it applies count {:.6g} times in all, after a division by "
                    "{} contributions; a mean counts once",
                    total.value, apply.contributions));
  }

  bool is_gradient(const Atom& atom) const {
    return atom.kind == AtomKind::kGradient ||
           (atom.kind == AtomKind::kHeld &&
            plan_.buffers[atom.buffer].kind == CONVOY_BUFFER_GRADIENT);
  }

  void take_system(const LinearSystem& it, const std::vector<GradientKey>& gradients) {
    const SystemReport report =
        judge_system(plan_, it, gradients, period_.linear_applies(), period_.values());
    for (const SystemFinding& finding : report.findings)
      add(finding.kind, finding.operation, finding.replica, finding.range, finding.what);
    reports_.push_back(report);
  }

  // Whether a mean of iterates is intended or not, all replicas must continue from it.
  void require_equal_averages(const PeriodMap& map) {
    for (const std::vector<std::size_t>& group : map.groups)
      for (const std::size_t i : group) {
        const std::uint64_t first = reports_[group.front()].averaged_over;
        if (reports_[i].averaged_over == first) continue;
        const PeriodRead& read = map.systems[i].reads.front();
        add(FindingKind::kScaled, read.operation, read.replica, read.range,
            fmt::format("replica {} goes on from the mean of its parameters at {} points on the "
                        "way, and replica {} from that at {}",
                        read.replica, std::max<std::uint64_t>(reports_[i].averaged_over, 1),
                        map.systems[group.front()].reads.front().replica,
                        std::max<std::uint64_t>(first, 1)));
      }
  }

  // A momentum that begins anew within the period is applied as a sum of gradients that is no mean.
  void look_for_restarts(const PeriodMap& map) {
    const auto by_scale = [](const Finding& it) {
      return it.kind == FindingKind::kScaled || it.kind == FindingKind::kDoubled;
    };
    if (plan_.computes < 2 || !std::ranges::all_of(findings_, by_scale)) return;
    std::vector<Finding> of_applies = std::exchange(findings_, {});
    try {
      for (const LinearSystem& it : map.systems) take_system(it, map.gradients);
      if (only_restarts(map)) return;
    } catch (const OverBudget&) {
      // The sums of the applies are wrong, whatever the systems are.
    }
    findings_ = std::move(of_applies);
    reports_.clear();
  }

  // Whether restarting momentum is the only finding against the systems, and all replicas have the
  // same.
  bool only_restarts(const PeriodMap& map) const {
    if (reports_.size() != map.systems.size()) return false;
    const auto restarts = [](const SystemReport& it) { return !it.restarts.empty(); };
    const auto is_fine = [](const SystemReport& it) {
      return !it.restarts.empty() || it.findings.empty();
    };
    const auto agree = [&](const std::vector<std::size_t>& group) {
      return std::ranges::all_of(group, [&](std::size_t i) {
        return reports_[i].restarts == reports_[group.front()].restarts;
      });
    };
    return std::ranges::any_of(reports_, restarts) && std::ranges::all_of(reports_, is_fine) &&
           std::ranges::all_of(map.groups, agree);
  }

  // The part that a projection leaves out is transferred later only if the basis turns towards it.
  void require_turning_bases(const PeriodMap& map) {
    if (map.bases.empty()) return;
    ProjectionBases bases(plan_, period_);
    const auto fixed =
        std::ranges::find_if(map.bases, [&](const auto& it) { return !bases.turns(it.first); });
    if (fixed != map.bases.end())
      add(FindingKind::kUnknown, period_.values().atom(fixed->first).operation, CONVOY_NONE,
          fixed->second,
          "its columns are made of what stays the same from step to step, so it is not known "
          "whether what it leaves out ever gets out");
    for (const auto& [kernel, by_step] : bases.renewed_by()) result_.renewed_by[kernel] |= by_step;
  }

  // If momentum begins anew, only the counts of gradients are known.
  void compare_systems(const PeriodMap& map) {
    std::vector<const SystemReport*> judged;
    for (const SystemReport& it : reports_)
      if (it.restarts.empty()) judged.push_back(&it);
    require_one_kind(judged);
    if (!findings_.empty() && !result_.restarts) return;
    for (const std::vector<std::size_t>& group : map.groups)
      if (reports_[group.front()].restarts.empty()) compare(group);
  }

  // Requires that every variable is shared between the replicas or none is, and that all take the
  // mean over the same number of computes.
  void require_one_kind(const std::vector<const SystemReport*>& judged) {
    for (const SystemReport* it : judged)
      if (it->means_over != judged.front()->means_over ||
          it->uneven_means != judged.front()->uneven_means)
        add(FindingKind::kScaled, it->noise.front().operation, it->noise.front().replica,
            it->noise.front().range,
            fmt::format("its update is a mean over {} steps, and that of other variables over {}",
                        it->means_over, judged.front()->means_over));
    for (const SystemReport* it : judged)
      if (it->uneven_because != judged.front()->uneven_because)
        add(FindingKind::kUnknown, it->noise.front().operation, it->noise.front().replica,
            it->noise.front().range,
            "its gradients count differently from step to step, in another way than those of "
            "other variables");
    for (const SystemReport* it : judged)
      if (it->by_itself != judged.front()->by_itself)
        add(FindingKind::kUnknown, it->noise.front().operation, it->noise.front().replica,
            it->noise.front().range,
            it->by_itself ? "every gradient is in an update of its own, and those of other "
                            "variables are in means of all replicas"
                          : "its update is a mean of all replicas, and every gradient of other "
                            "variables is in an update of its own");
    if (std::ranges::all_of(reports_, &SystemReport::alone)) return;
    for (const SystemReport* it : judged)
      if (it->alone)
        add(FindingKind::kMissing, it->noise.front().operation, it->noise.front().replica,
            it->noise.front().range,
            "every replica's gradient stays with that replica, though other variables are shared");
  }

  // Replicas that share no memory must have the same weights for the same elements.
  void compare(const std::vector<std::size_t>& group) {
    const SystemReport& first = reports_[group.front()];
    for (const std::size_t i : group)
      for (const ReadNoise& read : reports_[i].noise) {
        compare_counts(first, reports_[i], read);
        compare_noise(first.noise.front(), read);
      }
  }

  void compare_counts(const SystemReport& first, const SystemReport& report,
                      const ReadNoise& read) {
    if (report.total == first.total) return;
    add(FindingKind::kScaled, read.operation, read.replica, read.range,
        fmt::format("in what replica {} reads every gradient counts {:.6g} times in the end, and "
                    "in what replica {} reads {:.6g} times",
                    read.replica, report.counts, first.noise.front().replica, first.counts));
  }

  // Replicas whose errors differ drift apart.
  void compare_noise(const ReadNoise& first, const ReadNoise& read) {
    if (read.weights == first.weights) return;
    add(FindingKind::kUnknown, read.operation, read.replica, read.range,
        fmt::format("replicas {} and {} drift apart: what is rounded or compressed on the way "
                    "reaches them with different weights and never fades",
                    first.replica, read.replica));
  }

  void note_kernels() {
    std::set<std::string> kernels;
    for (const Operation& operation : plan_.body)
      if (operation.kind == OperationKind::kCall) kernels.insert(operation.details->kernel);
    result_.kernels.assign(kernels.begin(), kernels.end());
  }

  void conclude() {
    result_.findings = std::move(findings_);
    if (!result_.findings.empty()) {
      const bool wrong = any_wrong(result_.findings);
      result_.verdict = wrong ? Verdict::kWrong : Verdict::kUnproved;
      if (wrong)
        std::erase_if(result_.findings, [](const Finding& it) { return leaves_open(it.kind); });
      return;
    }
    const bool alone = reports_.front().alone;
    result_.verdict = alone ? Verdict::kIndependent : Verdict::kApproximate;
    result_.counts_once = result_.nothing_lost = !result_.by_rate;
    double least = reports_.front().least;
    double most = reports_.front().counts;
    result_.uneven_because = reports_.front().uneven_because;
    for (const SystemReport& it : reports_) {
      least = std::min(least, it.least);
      most = std::max(most, it.counts);
      result_.means_over = std::max(result_.means_over, it.means_over);
      if (!it.uneven_means.empty()) result_.uneven_means = it.uneven_means;
      result_.by_itself = result_.by_itself || it.by_itself;
      result_.counts_once = result_.counts_once && it.counts_once;
      result_.loses = result_.loses || it.loses;
      result_.factors.insert(it.factors.begin(), it.factors.end());
      result_.nothing_lost =
          result_.nothing_lost && it.counts_once && !it.loses && it.factors.empty();
      result_.delay = std::max(result_.delay, it.delay);
    }
    result_.counts = most;
    result_.least = least;
  }

  const Plan& plan_;
  SymbolicRun begun_;
  std::unique_ptr<SymbolicRun> run_;
  const SymbolicRun& period_;
  Recurrence result_;
  std::vector<bool> parameter_like_;                   // by buffer
  std::set<std::pair<ValueId, std::uint64_t>> means_;  // correct pairs of a sum and its number of
                                                       // contributions
  std::vector<SystemReport> reports_;                  // by system
  std::vector<Finding> findings_;
  std::set<std::tuple<FindingKind, std::uint32_t, std::uint32_t>> seen_;
};

}  // namespace

Recurrence judge_recurrence(const Plan& plan, Budget& budget) {
  const std::uint64_t spent_before = budget.spent();
  Recurrence found = RecurrenceJudge(plan, budget, true).judge();
  const bool shifted = std::ranges::any_of(
      found.findings, [](const Finding& finding) { return finding.kind == FindingKind::kShifted; });
  if (!shifted) return found;
  // One atom may represent several parts of the arena.
  budget.give_back(spent_before);
  return RecurrenceJudge(plan, budget, false).judge();
}

}  // namespace convoy::plan::check
