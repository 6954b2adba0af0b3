#include "core/plan/lower/fuse_updates.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "core/base/process/large_pages.hpp"
#include "core/plan/accesses.hpp"
#include "core/plan/lower/span_set.hpp"
#include "core/plan/lower/span_users.hpp"

namespace convoy::plan {
namespace {

bool touches(const SpanList& spans, const PlanSpan& span) {
  return std::any_of(spans.begin(), spans.end(),
                     [&](const PlanSpan& other) { return overlap(other, span); });
}

bool covers_span(const PlanSpan& outer, const PlanSpan& inner) {
  return outer.buffer == inner.buffer && outer.first <= inner.first &&
         outer.first + outer.count >= inner.first + inner.count;
}

// Rings and trees add in a different order, so they are excluded.
bool is_gradient_sum(const Operation& it) {
  const bool collective = it.kind == OperationKind::kAllReduce || it.kind == OperationKind::kReduce;
  const bool reorders =
      it.algorithm == CONVOY_ALGORITHM_RING || it.algorithm == CONVOY_ALGORITHM_TREE;
  return (it.kind == OperationKind::kSum || (collective && !reorders)) &&
         it.reduction == CONVOY_REDUCE_SUM && it.flags == 0 &&
         it.writes.front().dtype == CONVOY_F32;
}

// No engine addresses memory of two hosts, so the sum must be on one host.
bool is_on_one_host(const Plan& plan, const Operation& sum) {
  return std::ranges::all_of(sum.reads, [&](const PlanSpan& span) {
    return plan.host_of(span) == plan.host_of(sum.reads.front());
  });
}

// A sum and the operations that use it, as indices into the body in ascending order.
struct UpdateGroup {
  std::vector<std::size_t> members;  // the sum first
  std::vector<std::size_t> updates;
  SpanSet totals;   // all spans that hold the sum
  SpanSet updated;  // the spans that the updates write

  bool has(std::size_t index) const {
    return std::binary_search(members.begin(), members.end(), index);
  }
};

class UpdateFusion {
 public:
  UpdateFusion(const Plan& plan, const Cluster& cluster, bool is_stage)
      : plan_(plan), cluster_(cluster), body_(plan.body), is_stage_(is_stage), users_(plan) {}

  std::optional<Plan> run() {
    std::vector<bool> gone(body_.size(), false);
    std::map<std::size_t, Operation> fused;
    for (std::size_t i = 0; i < body_.size(); ++i) {
      if (!is_gradient_sum(body_[i]) || !is_on_one_host(plan_, body_[i])) continue;
      const UpdateGroup group = find_group(i);
      if (group.updates.empty() || !is_legal(group)) continue;
      for (const std::size_t member : group.members) gone[member] = true;
      fused.emplace(group.updates.back(), make_update(group));
    }
    if (fused.empty()) return std::nullopt;
    return rewritten(std::move(fused), gone);
  }

 private:
  Plan rewritten(std::map<std::size_t, Operation> fused, const std::vector<bool>& gone) const {
    Plan result{.cluster = &cluster_,
                .arena = plan_.arena,
                .buffers = plan_.buffers,
                .prologue = plan_.prologue,
                .body = {},
                .computes = plan_.computes,
                .later = plan_.later};
    reserve_large(result.body, body_.size());
    for (std::size_t i = 0; i < body_.size(); ++i) {
      const auto update = gone[i] ? fused.find(i) : fused.end();
      if (update != fused.end()) result.body.push_back(std::move(update->second));
      if (!gone[i]) result.body.push_back(body_[i]);
    }
    auto id = static_cast<std::uint32_t>(result.prologue.size());
    for (Operation& operation : result.body) operation.id = id++;
    return result;
  }

  // Follows the sum through copies to updates, until another operation reads it.
  UpdateGroup find_group(std::size_t sum) const {
    UpdateGroup group{{sum}, {}, SpanSet(body_[sum].writes), {}};
    UsersInOrder users(users_, sum);
    users.add_all(group.totals.all());
    for (std::size_t i = users.next(); i < body_.size(); i = users.next()) {
      const Operation& it = body_[i];
      if (it.phase != body_[sum].phase) break;
      const bool takes_sum = !it.reads.empty() && group.totals.holds(it.reads.front());
      if (takes_sum && it.kind == OperationKind::kCopy && it.flags == 0) {
        group.members.push_back(i);
        if (group.totals.holds(it.writes.front())) continue;
        group.totals.add(it.writes.front());
        users.add(it.writes.front());
      } else if (takes_sum && it.kind == OperationKind::kApply && goes_with(group, it)) {
        group.members.push_back(i);
        group.updates.push_back(i);
        group.updated.add(it.writes.front());
      } else if (group.totals.touches(it.reads) || group.totals.touches(it.writes)) {
        break;
      }
    }
    return group;
  }

  bool goes_with(const UpdateGroup& group, const Operation& apply) const {
    if (is_loose(apply)) return false;
    if (group.updates.empty()) return true;
    const Operation& first = body_[group.updates.front()];
    if (group.updated.touches(apply.writes.front())) return false;
    return apply.flags == first.flags && apply.contributions == first.contributions &&
           apply.scalar == first.scalar &&
           apply.writes.front().first == first.writes.front().first &&
           apply.reads.size() == first.reads.size() &&
           std::equal(apply.reads.begin() + 1, apply.reads.end(), first.reads.begin() + 1,
                      same_span);
  }

  bool is_legal(const UpdateGroup& group) const {
    const Operation update = make_update(group);
    return is_addressed(update) && is_undisturbed(group, update) && is_dead(group);
  }

  bool is_addressed(const Operation& update) const {
    for (const PlanSpan& write : update.writes)
      for (const std::uint32_t engine : cluster_.engines_of(plan_.place_of(write)))
        for (const SpanList* spans : {&update.reads, &update.writes})
          for (const PlanSpan& span : *spans)
            if (!cluster_.access[engine][plan_.place_of(span)]) return false;
    return true;
  }

  // Whether, until the last update, the gradients and the update's other reads do not change, and
  // no other operation reads the parameters or the sum.
  bool is_undisturbed(const UpdateGroup& group, const Operation& update) const {
    const SpanSet reads(update.reads);
    UsersInOrder users(users_, group.members.front());
    for (const auto* spans : {&reads, &group.updated, &group.totals}) users.add_all(spans->all());
    for (std::size_t i = users.next(); i < group.updates.back(); i = users.next()) {
      if (group.has(i)) continue;
      const Operation& other = body_[i];
      if (reads.touches(other.writes) || group.updated.touches(other.writes) ||
          group.updated.touches(other.reads) || group.totals.touches(other.reads) ||
          group.totals.touches(other.writes))
        return false;
    }
    const SpanList& gradients = body_[group.members.front()].reads;
    return !group.updated.touches(gradients) && !group.totals.touches(update.writes);
  }

  bool is_dead(const UpdateGroup& group) const {
    return std::ranges::all_of(group.totals.all(),
                               [&](const PlanSpan& total) { return is_dead(group, total); });
  }

  // Whether the total is overwritten before it is read, from the last member on to the sum of the
  // next iteration.
  bool is_dead(const UpdateGroup& group, const PlanSpan& total) const {
    const std::uint32_t kind = plan_.buffers[total.buffer].kind;
    const bool scratch = kind == CONVOY_BUFFER_SCRATCH;
    if (is_stage_ && !scratch && kind != CONVOY_BUFFER_GRADIENT) return false;
    bool wrapped = false;
    for (std::size_t i = users_.next(total, group.updates.back());; i = users_.next(total, i)) {
      if (i == body_.size()) {
        if (scratch || std::exchange(wrapped, true)) return true;
        i = 0;  // operations that do not touch the total change nothing
      }
      if (const std::optional<bool> dead = fate_at(group, total, i)) return *dead;
    }
  }

  // Whether the sum is dead after this operation (true) or needed (false); empty: not decided yet.
  std::optional<bool> fate_at(const UpdateGroup& group, const PlanSpan& total,
                              std::size_t i) const {
    const Operation& it = body_[i];
    if (touches(it.reads, total)) return false;
    if (i == group.members.front()) return true;
    if (changes_in_place(it.kind) && touches(it.writes, total)) return false;
    const bool overwritten =
        std::any_of(it.writes.begin(), it.writes.end(),
                    [&](const PlanSpan& write) { return covers_span(write, total); });
    return overwritten ? std::optional(true) : std::nullopt;
  }

  Operation make_update(const UpdateGroup& group) const {
    Operation update = body_[group.updates.back()];
    const SpanList& gradients = body_[group.members.front()].reads;
    std::vector<PlanSpan> reads(gradients.begin(), gradients.end());
    reads.insert(reads.end(), update.reads.begin() + 1, update.reads.end());
    update.reads = SpanList(reads);
    update.writes.clear();
    for (const std::size_t i : group.updates) update.writes.push_back(body_[i].writes.front());
    for (const std::size_t i : group.members)
      update.priority = std::max(update.priority, body_[i].priority);
    return update;
  }

  const Plan& plan_;
  const Cluster& cluster_;
  const std::vector<Operation>& body_;
  bool is_stage_;  // a later stage reads this one's memory, except gradients and scratch
  SpanUsers users_;
};

// Whether any sum may reach an update, or a copy on the way to one. Otherwise an index of the
// operations is not worth its cost.
bool has_sums_to_fuse(const Plan& logical) {
  std::vector<bool> holds_sum(logical.buffers.size(), false);
  for (const Operation& it : logical.body)
    if (is_gradient_sum(it) && is_on_one_host(logical, it))
      for (const PlanSpan& total : it.writes) holds_sum[total.buffer] = true;
  return std::ranges::any_of(logical.body, [&](const Operation& it) {
    return (it.kind == OperationKind::kApply || it.kind == OperationKind::kCopy) &&
           holds_sum[it.reads.front().buffer];
  });
}

}  // namespace

std::optional<Plan> fuse_updates(const Plan& logical, const Cluster& cluster, bool is_stage) {
  if (!has_sums_to_fuse(logical)) return std::nullopt;
  return UpdateFusion(logical, cluster, is_stage).run();
}

}  // namespace convoy::plan
