#include "core/plan/lower/guard.hpp"

#include <algorithm>
#include <map>

#include "core/base/error.hpp"
#include "core/plan/lower/guard_domains.hpp"
#include "core/plan/lower/guard_memory.hpp"
#include "core/plan/lower/true_gradients.hpp"
#include "core/plan/range_set.hpp"
#include "core/plan/stages.hpp"

namespace convoy::plan {
namespace {

class Guard {
 public:
  Guard(const Plan& logical, const GuardOptions& options, bool replicas_agree)
      : logical_(logical),
        options_(options),
        replicas_agree_(replicas_agree),
        unscales_early_(options.scales_loss() && needs_true_gradients(logical)),
        memory_(plan_, options.loss_scale) {
    plan_.cluster = logical.cluster;
    plan_.arena = logical.arena;
    plan_.buffers = logical.buffers;
    plan_.computes = logical.computes;
    plan_.prologue = logical.prologue;
  }

  Plan run() {
    if (options_.scales_loss()) memory_.scale_at(memory_.home());
    if (options_.gradient_norms) memory_.reports_at(memory_.home());
    for (const Operation& operation : logical_.body) {
      if (operation.phase != phase_) end_phase();
      phase_ = operation.phase;
      add(operation);
    }
    end_phase();
    number_operations(plan_);
    return std::move(plan_);
  }

 private:
  void read_scale(Operation& operation) {
    operation.flags |= CONVOY_OP_LOSS_SCALED;
    operation.reads.push_back(memory_.scale_at(memory_.home_of(operation)));
  }

  // For an operation that reads a gradient.
  void take_out_scale(Operation& operation) {
    if (options_.scales_loss() && !unscales_early_) read_scale(operation);
  }

  // Divides the gradient of a backward operation by the loss scale, one segment after the other as
  // backward computes them, so that what waits for a part does not wait for all.
  void unscale(const Operation& backward) {
    const std::vector<Segment>& segments = logical_.arena->segments;
    const std::uint64_t end = backward.first_layer + backward.layer_count;
    for (std::size_t i = segments.size(); i-- > 0;)
      if (segments[i].first_layer >= backward.first_layer && segments[i].first_layer < end &&
          segments[i].range.count > 0)
        add_other(unscaled(backward, segments[i].range));
  }

  Operation unscaled(const Operation& backward, const ElementRange& range) {
    Operation divide;
    divide.kind = OperationKind::kDivide;
    divide.source = backward.source;
    divide.phase = backward.phase;
    divide.place = backward.place;
    PlanSpan scale = memory_.scale_at(memory_.home_of(backward));
    scale.count = 1;  // without its counter
    const PlanSpan gradient{backward.writes.front().buffer, CONVOY_F32, range.first, range.count};
    divide.reads = {gradient, scale};
    divide.writes = {gradient};
    return divide;
  }

  void add(const Operation& logical) {
    Operation operation = logical;
    const std::uint64_t end = operation.first_layer + operation.layer_count;
    const bool has_loss =
        operation.kind == OperationKind::kBackward && end == logical_.arena->layers();
    const bool applies = operation.kind == OperationKind::kApply;
    if (has_loss && options_.scales_loss()) read_scale(operation);
    if (applies && !options_.needs_norm()) return add_update(std::move(operation));
    if (applies) {
      require_first_update(operation);
      return defer(std::move(operation));
    }
    add_other(std::move(operation));
    if (logical.kind == OperationKind::kBackward && unscales_early_) unscale(logical);
  }

  void add_other(Operation operation) {
    if (options_.needs_norm() && follows_an_update(operation)) return defer(std::move(operation));
    plan_.body.push_back(std::move(operation));
  }

  // Whether an earlier update of this step conflicts with the operation's spans.
  bool follows_an_update(const Operation& operation) {
    const auto is_in = [](std::map<std::uint32_t, RangeSet>& sets, const PlanSpan& span) {
      return sets[span.buffer].overlaps(range_of(span));
    };
    return std::any_of(operation.reads.begin(), operation.reads.end(),
                       [&](const PlanSpan& span) { return is_in(written_, span); }) ||
           std::any_of(operation.writes.begin(), operation.writes.end(), [&](const auto& span) {
             return is_in(written_, span) || is_in(read_, span);
           });
  }

  void require_first_update(const Operation& apply) {
    const char* what =
        options_.automatic_loss_scale ? "automatic loss scaling" : "clipping by global norm";
    if (is_loose(apply))
      fail(ExitCode::kUsage, "{} needs updates in a fixed order; those of this strategy are not",
           what);
    for (const PlanSpan& span : {apply.reads.front(), apply.writes.front()})
      if (written_[span.buffer].overlaps(range_of(span)))
        fail(ExitCode::kUsage,
             "{} needs the whole gradient of a step before its first update; operation {} (apply) "
             "of this strategy's plan needs {} as an earlier update of the same step left it",
             what, apply.source, logical_.span_name(span));
  }

  void defer(Operation operation) {
    for (const PlanSpan& span : operation.reads) read_[span.buffer].add(range_of(span));
    for (const PlanSpan& span : operation.writes) written_[span.buffer].add(range_of(span));
    deferred_.push_back(std::move(operation));
  }

  void add_update(Operation apply) {
    if (options_.gradient_norms) report_norms(apply);
    take_out_scale(apply);
    plan_.body.push_back(std::move(apply));
  }

  Operation norm_of(const Operation& apply) const {
    Operation norm;
    norm.kind = OperationKind::kNorm;
    norm.source = apply.source;
    norm.phase = apply.phase;
    norm.place = apply.place;
    norm.contributions = apply.contributions;
    return norm;
  }

  // Reports one norm per variable. If several updates change the same elements, the first one
  // counts.
  void report_norms(const Operation& apply) {
    const PlanSpan& target = apply.writes.front();
    const PlanSpan& gradient = apply.reads.front();
    const auto& variables = logical_.arena->variables;
    const auto report = [&](const ElementRange& gap) {
      for (std::uint32_t v = 0; v < variables.size(); ++v) {
        const ElementRange range = common(variables[v].range, gap);
        if (range.count == 0) continue;
        Operation norm = norm_of(apply);
        norm.variable = v;
        norm.reads = {{gradient.buffer, CONVOY_F32, gradient.first + (range.first - target.first),
                       range.count}};
        take_out_scale(norm);
        const std::uint32_t reports = memory_.reports_at(memory_.home_of(norm));
        norm.writes = {{reports, CONVOY_F32, plan_.buffers[reports].count++, 1}};
        plan_.body.push_back(std::move(norm));
      }
    };
    reported_.for_each_gap(range_of(target), report);
    reported_.add(range_of(target));
  }

  void end_phase() {
    if (!deferred_.empty()) add_deferred();
    deferred_.clear();
    read_.clear();
    written_.clear();
    reported_ = {};
  }

  void add_deferred() {
    std::vector<const Operation*> updates;
    for (const Operation& operation : deferred_)
      if (operation.kind == OperationKind::kApply) updates.push_back(&operation);
    const std::vector<UpdateDomain> domains =
        make_domains(*logical_.arena, updates, replicas_agree_);
    const PlanSpan totals = add_norms(domains);
    const std::map<std::uint32_t, PlanSpan> totals_at = share_totals(totals, updates);
    std::map<const Operation*, PlanSpan> total_of;
    for (std::size_t d = 0; d < domains.size(); ++d)
      for (const Operation* update : domains[d])
        total_of[update] = {totals_at.at(memory_.home_of(*update)).buffer, CONVOY_F32, d, 1};
    for (const Operation& operation : deferred_) {
      if (operation.kind != OperationKind::kApply) {
        plan_.body.push_back(operation);
        continue;
      }
      add_update(operation);
      Operation& apply = plan_.body.back();
      apply.flags |= CONVOY_OP_NORMED;
      if (options_.automatic_loss_scale) apply.flags |= CONVOY_OP_SKIP_NON_FINITE;
      apply.scalar = options_.clip_norm;
      apply.reads.push_back(total_of.at(&operation));
    }
    if (options_.automatic_loss_scale) adapt(totals, deferred_.back());
  }

  // Returns where each host finds the totals. Copies them to the other hosts.
  std::map<std::uint32_t, PlanSpan> share_totals(const PlanSpan& totals,
                                                 const std::vector<const Operation*>& updates) {
    std::map<std::uint32_t, PlanSpan> totals_at = {{memory_.home(), totals}};
    for (const Operation* update : updates) {
      const auto [there, is_new] = totals_at.try_emplace(memory_.home_of(*update), totals);
      if (!is_new) continue;
      there->second.buffer = memory_.scratch(there->first, totals.count);
      memory_.copy(totals, there->second, *update);
    }
    return totals_at;
  }

  // Adds a norm that is written to memory which its engine addresses, and then copied to the home.
  void add_norm(Operation norm, const PlanSpan& result) {
    const std::uint32_t place = memory_.home_of(norm);
    if (place == memory_.home()) {
      norm.writes = {result};
      return plan_.body.push_back(std::move(norm));
    }
    norm.writes = {{memory_.scratch(place, 1), CONVOY_F32, 0, 1}};
    plan_.body.push_back(norm);
    memory_.copy(norm.writes.front(), result, norm);
  }

  // Adds the norms of every domain's parts and of every whole domain. Returns the norms of the
  // domains, one element each.
  PlanSpan add_norms(const std::vector<UpdateDomain>& domains) {
    std::uint64_t elements = domains.size();
    for (const UpdateDomain& domain : domains) elements += domain.size();
    const std::uint32_t buffer = memory_.scratch(memory_.home(), elements);
    std::uint64_t next = domains.size();
    for (std::size_t d = 0; d < domains.size(); ++d) {
      const PlanSpan total{buffer, CONVOY_F32, d, 1};
      const PlanSpan parts{buffer, CONVOY_F32, next, domains[d].size()};
      for (const Operation* update : domains[d]) {
        Operation norm = norm_of(*update);
        norm.reads = {update->reads.front()};
        if (options_.clip_norm > 0) norm.reads.push_back(update->writes.front());
        take_out_scale(norm);
        add_norm(std::move(norm),
                 parts.count == 1 ? total : PlanSpan{buffer, CONVOY_F32, next++, 1});
      }
      if (parts.count == 1) continue;
      Operation whole = norm_of(*domains[d].front());
      whole.place = memory_.home();
      whole.contributions = 1;
      whole.reads = {parts};
      whole.writes = {total};
      plan_.body.push_back(std::move(whole));
    }
    return {buffer, CONVOY_F32, 0, domains.size()};
  }

  void adapt(const PlanSpan& totals, const Operation& last) {
    Operation adapt;
    adapt.kind = OperationKind::kAdaptLossScale;
    adapt.source = last.source;
    adapt.phase = last.phase;
    adapt.place = memory_.home();
    adapt.details.edit().sizes[0] = options_.increase_every;
    adapt.reads = {totals};
    const PlanSpan home = memory_.scale_at(memory_.home());
    adapt.writes = {home};
    plan_.body.push_back(adapt);
    for (const auto& [place, scale] : memory_.scales())
      if (place != memory_.home()) memory_.copy(home, scale, adapt);
  }

  const Plan& logical_;
  const GuardOptions& options_;
  const bool replicas_agree_;  // apply the same gradients
  const bool unscales_early_;  // after backward, and not in the update
  Plan plan_;
  GuardMemory memory_;
  std::uint32_t phase_ = 0;
  RangeSet reported_;                       // arena elements, this phase
  std::vector<Operation> deferred_;         // updates of this phase and the operations that follow
                                            // them
  std::map<std::uint32_t, RangeSet> read_;  // per buffer: what the deferred operations read
  std::map<std::uint32_t, RangeSet> written_;  // per buffer: what they write
};

// Refuses plans that apply a gradient in a later step, because it would be divided by the scale of
// that step.
void require_adaptable(const Plan& logical, const check::CheckReport& report) {
  for (std::size_t stage = 0; stage < report.stages.size(); ++stage)
    require_adaptable(stage_of(logical, stage), report.stages[stage].report);
  if (!report.stages.empty()) return;
  const bool same_step =
      report.exact == check::Verdict::kSynchronous || report.exact == check::Verdict::kIndependent;
  if (same_step && logical.computes == 1) return;
  fail(ExitCode::kUsage,
       "automatic loss scaling needs every gradient to be applied in the step that computed it; "
       "this strategy's plan is {}{}: leave out --fp16_enable_auto_loss_scale, or take a strategy "
       "that is synchronous in every step",
       report.verdict_text(),
       same_step ? fmt::format(", over {} steps at a time", logical.computes) : std::string());
}

}  // namespace

Plan guard(const Plan& logical, const check::CheckReport& report, const GuardOptions& options) {
  if (!options.changes_plans()) return logical;
  if (options.automatic_loss_scale) require_adaptable(logical, report);
  if (logical.later.empty())
    return Guard(logical, options, report.exact == check::Verdict::kSynchronous).run();
  const bool agree = std::ranges::all_of(report.stages, [](const check::StageReport& stage) {
    return stage.report.exact == check::Verdict::kSynchronous;
  });
  return part_stages(Guard(join_stages(logical), options, agree).run(), logical);
}

}  // namespace convoy::plan
