#include "core/plan/check/fixed_point/fixed_point_judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include "core/plan/check/findings.hpp"
#include "core/plan/check/fixed_point/sharpness_aware.hpp"
#include "core/plan/check/fixed_point/update_history.hpp"

namespace convoy::plan::check {
namespace {

// The reference recurrence, with which the run is compared, adds values to the run, but no steps.
class FixedPointJudge {
 public:
  FixedPointJudge(const Plan& plan, SymbolicRun& run)
      : plan_(plan), run_(run), history_(plan, run) {}

  FixedPointJudgement judge(bool settled) {
    report_.replicas = plan_.cluster->replicas();
    report_.periods = static_cast<std::uint64_t>(run_.periods());
    require_equal_computes();
    if (settled)
      judge_repeating();
    else
      require_written();
    report_.findings = history_.findings();
    const UpdateStyle& style = history_.style();
    std::ranges::set_union(style.kernels, style.compressing_kernels,
                           std::back_inserter(report_.kernels));
    report_.factors.assign(style.factors.begin(), style.factors.end());
    report_.compressors.assign(style.compressors.begin(), style.compressors.end());
    if (!report_.findings.empty())
      report_.verdict = report_.exact =
          any_wrong(report_.findings) ? Verdict::kWrong : Verdict::kUnproved;
    else if (!settled)
      report_.verdict = report_.exact = Verdict::kUnproved;
    result_.recurrence_decides = !settled && report_.findings.empty();
    if (settled) choose_decider();
    result_.recurrence_may_decide = result_.recurrence_may_decide || result_.recurrence_decides;
    return std::move(result_);
  }

 private:
  void judge_repeating() {
    if (history_.findings().empty() && !asynchronous_by_request() &&
        is_sharpness_aware(plan_, run_))
      return take_sharpness_aware();
    read_everything();
    if (history_.findings().empty()) require_progress();
    if (!every_replica_alone())
      for (const auto& [pair, where] : absent_)
        history_.report(
            FindingKind::kMissing, where.first, pair.second, where.second,
            fmt::format("the gradient of replica {} is missing from what replica {} reads",
                        pair.second, pair.first));
    if (!history_.findings().empty()) return;
    measure_lags();
    report_.exact = report_.verdict = name_verdict();
    const UpdateStyle& style = history_.style();
    if (style.rounded || style.opaque || style.averaged) report_.verdict = Verdict::kApproximate;
    if (style.opaque && !style.averaged) require_no_drift();
  }

  void take_sharpness_aware() {
    report_.verdict = report_.exact = Verdict::kApproximate;
    report_.is_sharpness_aware = true;
    report_.recurrence =
        "every second step applies the mean of all replicas' gradients, taken where those of the "
        "step before lead uphill; these are not applied";
  }

  // Replicas that apply the same gradients with different kernels or factors drift apart, and
  // nothing makes them equal again. Reports that.
  void require_no_drift() {
    if (report_.exact != Verdict::kSynchronous && report_.exact != Verdict::kSynchronousEvery)
      return;
    std::map<std::uint64_t, const ForwardRead*> of_compute;
    for (const ForwardRead& now : run_.reads()) {
      const ForwardRead& first = *of_compute.try_emplace(now.compute, &now).first->second;
      if (first.content == now.content) continue;
      const auto compare = [&](std::uint64_t at, std::uint64_t count,
                               const std::vector<ValueId>& values) {
        if (values[0] == values[1]) return;
        const ElementRange range{at, count};
        history_.report(
            FindingKind::kUnknown, history_.version_of(values[1], range, now.operation).operation,
            now.replica, range,
            fmt::format("replicas {} and {} drift apart: their updates go through other "
                        "kernels, or are multiplied by other factors",
                        first.replica, now.replica));
      };
      for_each_stretch(
          {&run_.contents().content(first.content), &run_.contents().content(now.content)},
          compare);
    }
  }

  // Decides whether the recurrence may give a better verdict. Only the recurrence determines the
  // weights of averaged parameters and of values that are not updates.
  void choose_decider() {
    const UpdateStyle& style = history_.style();
    const auto only = [&](std::initializer_list<FindingKind> kinds) {
      return std::all_of(report_.findings.begin(), report_.findings.end(), [&](const Finding& it) {
        return std::find(kinds.begin(), kinds.end(), it.kind) != kinds.end();
      });
    };
    const bool is_foreign = std::ranges::any_of(
        report_.findings, [](const Finding& it) { return it.kind == FindingKind::kForeign; });
    const bool replicas_may_drift = style.rounded && !style.opaque &&
                                    report_.exact != Verdict::kIndependent &&
                                    !replicas_read_alike();
    if (report_.findings.empty())
      result_.recurrence_decides =
          style.averaged || (replicas_may_drift && !asynchronous_by_request());
    else
      // Replicas that take over parameters of others keep their own optimizer state. If neighbours
      // average, a gradient may not have reached distant replicas yet.
      result_.recurrence_decides = (is_foreign && only({FindingKind::kForeign, FindingKind::kState,
                                                        FindingKind::kIrregular})) ||
                                   (style.averaged && only({FindingKind::kMissing}));
    result_.recurrence_may_decide =
        !report_.findings.empty() &&
        (only({FindingKind::kForeign, FindingKind::kScaled, FindingKind::kDoubled,
               FindingKind::kIrregular}) ||
         // A gradient that is missing in an update may wait for a later one.
         (only({FindingKind::kMissing, FindingKind::kScaled}) && updates_once_a_step()));
  }

  // Whether no element has more updates than computes, so that no compute's gradients are divided
  // among several updates.
  bool updates_once_a_step() const {
    std::map<std::uint32_t, std::uint64_t> updated;  // elements, by buffer
    for (const Operation& operation : plan_.body)
      if (operation.kind == OperationKind::kApply)
        for (const PlanSpan& target : operation.writes) updated[target.buffer] += target.count;
    return std::ranges::all_of(updated, [&](const auto& it) {
      return it.second <= plan_.buffers[it.first].count * plan_.computes;
    });
  }

  bool replicas_read_alike() const {
    std::map<std::uint64_t, ContentId> of_compute;
    return std::all_of(run_.reads().begin(), run_.reads().end(), [&](const ForwardRead& read) {
      return of_compute.try_emplace(read.compute, read.content).first->second == read.content;
    });
  }

  // Checks in every run that memory is written before it is read, and that parameters do not change
  // between forward and backward.
  void require_written() {
    for (const ForwardRead& read : run_.reads()) {
      require_unchanged(read);
      for (const Piece& piece : run_.contents().content(read.content))
        if (run_.values().value(piece.value).poison)
          history_.version_of(piece.value, {piece.first, piece.count}, read.operation);
    }
  }

  std::uint32_t last_operation_of(std::uint32_t replica, OperationKind kind) const {
    std::uint32_t found = CONVOY_NONE;
    for (const Operation& operation : plan_.body)
      if (operation.kind == kind && operation.replica == replica) found = operation.id;
    return found;
  }

  // Counts computes by their forwards and by their backwards.
  void require_equal_computes() {
    const std::uint64_t wanted = report_.periods * plan_.computes;
    std::map<std::uint32_t, std::set<std::uint64_t>> backwards;
    for (const ForwardRead& read : run_.reads()) backwards[read.replica].insert(read.compute);
    for (std::uint32_t r = 0; r < report_.replicas; ++r) {
      require_count(r, OperationKind::kForward, run_.computes(r), wanted);
      require_count(r, OperationKind::kBackward, backwards[r].size(), wanted);
    }
  }

  void require_count(std::uint32_t replica, OperationKind kind, std::uint64_t count,
                     std::uint64_t wanted) {
    if (count == wanted) return;
    const bool less = count < wanted;
    const OperationKind other =
        kind == OperationKind::kForward ? OperationKind::kBackward : OperationKind::kForward;
    std::uint32_t operation = last_operation_of(replica, kind);
    if (operation == CONVOY_NONE) operation = last_operation_of(replica, other);
    history_.report(
        less ? FindingKind::kMissing : FindingKind::kDoubled, operation, replica, arena(),
        fmt::format("replica {} runs {} {} times in {} steps; a step is one of every replica",
                    replica, operation_name(kind), count, wanted));
  }

  void require_unchanged(const ForwardRead& read) {
    const Operation& backward = plan_.body[read.backward - plan_.prologue.size()];
    if (read.changed && (backward.flags & CONVOY_OP_RELAXED_READS) == 0)
      history_.report(
          FindingKind::kChanged, read.backward, read.replica, arena(),
          fmt::format("replica {}: its parameters have changed since its forward", read.replica));
  }

  void read_everything() {
    for (const ForwardRead& read : run_.reads()) {
      require_unchanged(read);
      for (const Piece& piece : run_.contents().content(read.content))
        history_.version_of(piece.value, {piece.first, piece.count}, read.operation);
    }
  }

  // Measures how many steps forwards lag behind, now that the style of all updates is known.
  void measure_lags() {
    const auto& sizes = history_.style().computes_per_update;
    const std::uint64_t block = sizes.size() == 1 ? *sizes.begin() : 1;
    std::set<std::pair<ContentId, std::uint64_t>> measured;
    for (const ForwardRead& read : run_.reads()) {
      if (!measured.insert({read.content, read.compute}).second) continue;
      for (const Piece& piece : run_.contents().content(read.content)) {
        const Version& version =
            history_.version_of(piece.value, {piece.first, piece.count}, read.operation);
        const auto [low, high] =
            std::minmax_element(version.progress.begin(), version.progress.end());
        seen_.insert({read.compute, *low});
        const std::int64_t missing = std::int64_t(read.compute) - std::int64_t(*low);
        partial_ = partial_ || *low != *high;
        staleness_ = std::max(staleness_, missing);
        lagging_ = lagging_ || missing > static_cast<std::int64_t>(read.compute % block);
        if (*low > 0 && *low == *high)
          updates_per_step_.insert((version.updates * block + *low - 1) / *low);
      }
    }
  }

  // Requires that everything that forwards read in the last period contains one period's gradients
  // more than it did a period before.
  void require_progress() {
    const auto& reads = run_.reads();
    const std::uint64_t end = run_.computes(0);
    std::multimap<std::pair<std::uint32_t, std::uint64_t>, const ForwardRead*> by_compute;
    for (const ForwardRead& read : reads) by_compute.insert({{read.replica, read.compute}, &read});
    for (const ForwardRead& now : reads) {
      if (now.compute + plan_.computes < end || now.compute < plan_.computes) continue;
      const auto [first, last] =
          by_compute.equal_range({now.replica, now.compute - plan_.computes});
      for (auto it = first; it != last; ++it) require_progress(*it->second, now);
    }
  }

  // Replicas that read the same contents in both periods have the same progress, so it is judged
  // once.
  void require_progress(const ForwardRead& before, const ForwardRead& now) {
    if (progressed_.contains({before.content, now.content})) return;
    const std::size_t findings = history_.findings().size() + absent_.size();
    const Content& old_content = run_.contents().content(before.content);
    const Content& new_content = run_.contents().content(now.content);
    for_each_stretch({&old_content, &new_content}, [&](std::uint64_t first, std::uint64_t count,
                                                       const std::vector<ValueId>& values) {
      const ElementRange range{first, count};
      const Version old_version = history_.version_of(values[0], range, before.operation);
      const Version& version = history_.version_of(values[1], range, now.operation);
      std::vector<std::uint32_t> stuck;
      for (std::uint32_t r = 0; r < report_.replicas; ++r) {
        if (version.progress[r] <= old_version.progress[r])
          stuck.push_back(r);
        else if (r != now.replica)
          shared_ = true;
      }
      if (stuck.size() == report_.replicas)
        return history_.report(
            FindingKind::kNeverUpdated, now.operation, now.replica, range,
            fmt::format("replica {} reads parameters that no update ever reaches", now.replica));
      for (const std::uint32_t r : stuck)
        absent_.try_emplace({now.replica, r}, version.operation, range);
    });
    if (history_.findings().size() + absent_.size() == findings)
      progressed_.insert({before.content, now.content});
  }

  // Whether each replica reads only updates of its own gradients.
  bool every_replica_alone() const {
    const std::uint64_t n = report_.replicas;
    if (n < 2 || shared_ || absent_.size() != n * (n - 1)) return false;
    return std::none_of(absent_.begin(), absent_.end(),
                        [](const auto& it) { return it.first.first == it.first.second; });
  }

  bool asynchronous_by_request() const { return std::ranges::any_of(plan_.body, is_loose); }

  Verdict name_verdict() {
    const UpdateStyle& style = history_.style();
    if (asynchronous_by_request()) return Verdict::kAsynchronous;
    if (report_.replicas > 1) {
      if (every_replica_alone()) return Verdict::kIndependent;
      report_.in_order = partial_;
      if (partial_) return Verdict::kAsynchronous;
    }
    report_.gradient_lag = style.largest_lag;
    report_.zero_start = style.zero_start;
    const bool full = style.replicas_per_update.size() <= 1 &&
                      (style.replicas_per_update.empty() ||
                       *style.replicas_per_update.begin() == report_.replicas);
    if (full || style.opaque || style.averaged) return name_full_mean();
    report_.applies_per_step = *updates_per_step_.rbegin();
    report_.parameter_lag = staleness_ - static_cast<std::int64_t>(style.largest_lag);
    return lagging_ || style.largest_lag > 0 ? Verdict::kStale : Verdict::kAppliesPerStep;
  }

  Verdict name_full_mean() {
    const UpdateStyle& style = history_.style();
    const bool uneven = update_in_turns();
    const bool known = uneven || style.computes_per_update.size() == 1;
    report_.computes_per_update = known ? *style.computes_per_update.rbegin() : 1;
    const std::uint64_t block = report_.computes_per_update;
    const bool late = !uneven && (style.largest_lag >= block || style.zero_start || lagging_);
    if (!late) {
      report_.gradient_lag = 0;
      const bool exact = !style.rounded && !style.opaque && !style.averaged;
      if (exact && !follows_reference())
        history_.report(FindingKind::kIrregular, CONVOY_NONE, CONVOY_NONE, arena(),
                        "updates are complete but do not follow one recurrence");
      return block == 1 ? Verdict::kSynchronous : Verdict::kSynchronousEvery;
    }
    report_.parameter_lag = staleness_ - static_cast<std::int64_t>(style.largest_lag);
    report_.uniform = block == 1 && known && follows_reference();
    return Verdict::kStale;
  }

  // Whether updates take different numbers of computes, each for all elements and in time, so that
  // every forward sees all computes that end before it.
  bool update_in_turns() {
    const UpdateStyle& style = history_.style();
    const auto& updates = style.computes_of_updates;
    if (style.computes_per_update.size() < 2 || style.waits || style.zero_start || style.averaged)
      return false;
    std::vector<std::uint64_t> of_period;
    std::uint64_t end = 0;
    for (const auto& [first, behind] : updates) {
      if (first != end) return false;
      end = behind;
      if (end <= plan_.computes) of_period.push_back(end - first);
    }
    const auto newest = [&](std::uint64_t compute) {
      return compute >= end ? end : std::prev(updates.upper_bound({compute, UINT64_MAX}))->first;
    };
    const bool in_time = std::ranges::all_of(
        seen_, [&](const auto& seen) { return seen.second == newest(seen.first); });
    const bool whole =
        std::accumulate(of_period.begin(), of_period.end(), std::uint64_t{0}) == plan_.computes;
    if (!in_time || !whole) return false;
    report_.uneven_updates = std::move(of_period);
    return true;
  }

  // Whether an update of the report's recurrence ends with this step.
  bool ends_update(std::uint64_t step) const {
    const std::uint64_t block = report_.computes_per_update;
    if (report_.uneven_updates.empty()) return step % block == block - 1;
    std::uint64_t end = 0;
    return std::ranges::any_of(report_.uneven_updates, [&](std::uint64_t computes) {
      end += computes;
      return step % plan_.computes + 1 == end;
    });
  }

  bool follows_reference() {
    const std::vector<ContentId> reference = reference_reads(run_.computes(0));
    return std::all_of(run_.reads().begin(), run_.reads().end(), [&](const ForwardRead& read) {
      return read.content == reference[read.compute];
    });
  }

  // Returns the parameters that forwards would read if the recurrence of the report were exact.
  std::vector<ContentId> reference_reads(std::uint64_t steps) {
    const std::uint64_t block = report_.computes_per_update;
    const std::uint64_t lag = report_.gradient_lag;
    ValueTable& table = run_.values();
    std::vector<SymbolicRun::Updated> states{
        {table.leaf(run_.initial()), table.leaf(run_.fresh_state())}};
    std::vector<ContentId> reads;
    const auto read = [&](std::uint64_t step) {
      const std::int64_t newest =
          report_.uneven_updates.empty()
              ? static_cast<std::int64_t>(step / block) - report_.parameter_lag
              : std::ssize(states) - 1;
      const auto index = static_cast<std::uint64_t>(std::max<std::int64_t>(newest, 0));
      reads.push_back(run_.whole_arena(states[std::min(index, states.size() - 1)].parameters));
    };
    std::uint64_t first = 0;  // the first compute of the next update
    const auto update = [&](std::uint64_t step) {
      if (!ends_update(step)) return;
      std::vector<WeightedValue> parts;
      const std::uint64_t computes = step + 1 - first;
      for (; first <= step; ++first)
        for (std::uint32_t r = 0; step >= lag && r < report_.replicas; ++r)
          parts.push_back({run_.gradient(r, first - lag, reads[first - lag]), Weight{}, 0});
      const SymbolicRun::Updated& last = states.back();
      if (parts.empty() && !report_.zero_start) return states.push_back(last);
      states.push_back(run_.update({step, last.parameters, table.combine(parts),
                                    computes * report_.replicas, last.state, arena()}));
    };
    for (std::uint64_t step = 0; step < steps; ++step) {
      if (lag > 0) update(step);
      read(step);
      if (lag == 0) update(step);
    }
    return reads;
  }

  ElementRange arena() const { return {0, plan_.arena->elements}; }

  const Plan& plan_;
  SymbolicRun& run_;
  UpdateHistory history_;
  FixedPointJudgement result_;
  CheckReport& report_ = result_.report;
  bool shared_ = false;   // some forward reads updates with another replica's gradient
  bool partial_ = false;  // some forward read a part of a step's gradients
  bool lagging_ = false;  // some forward read parameters that miss more than accumulation explains
  std::int64_t staleness_ = 0;  // the most computes whose gradients a forward does not see
  std::set<std::uint64_t> updates_per_step_;
  std::set<std::pair<std::uint64_t, std::uint64_t>> seen_;  // a forward's compute, and the number
                                                            // of computes that it sees
  std::set<std::pair<ContentId, ContentId>> progressed_;    // contents a period ago and now
  // (reader, source): where it was found that the source's gradients never reach the reader's
  // parameters
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::pair<std::uint32_t, ElementRange>> absent_;
};

}  // namespace

FixedPointJudgement judge_fixed_point(const Plan& plan, SymbolicRun& run, bool settled) {
  return FixedPointJudge(plan, run).judge(settled);
}

}  // namespace convoy::plan::check
