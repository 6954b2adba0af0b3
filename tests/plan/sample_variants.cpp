#include "tests/plan/sample_plans.hpp"

namespace convoy::testing {
namespace {}  // namespace

void write_independent(Planner& p) {
  p.compute();
  for (const Range& range : p.buckets())
    for (const auto r : p.replicas())
      p.apply(p.parameters(r)[range], p.gradient(r)[range], {.contributions = 1});
}

void write_staged(Planner& p) {
  const Buffer master = p.master(p.host_place(ReplicaId(0)));
  p.prologue([&] {
    for (const auto r : p.replicas()) p.fill(p.gradient(r, SetId(1)), 0);
  });
  for (const SetId now : {SetId(0), SetId(1)}) {
    const SetId other(1 - now.index());
    for (const Range& range : p.buckets())
      for (const auto r : p.replicas()) p.copy(p.parameters(r, other)[range], master[range]);
    p.compute({.parameters_set = now, .gradient_set = now});
    for (const Range& range : p.buckets()) {
      const Buffer total = p.scratch(p.host_place(ReplicaId(0)), range.count);
      p.sum(total, p.all_gradients(range, other));
      p.apply(master[range], total);
    }
  }
}

void write_deferred(Planner& p) {
  p.compute();
  for (const Range& range : p.buckets()) {
    p.all_reduce(p.all_gradients(range));
    for (const auto r : p.replicas()) {
      const Buffer waiting = p.persistent(p.replica_place(r), range.count);
      p.apply(p.parameters(r)[range], waiting);
      p.copy(waiting, p.gradient(r)[range]);
    }
  }
}

void write_accumulating(Planner& p) {
  std::vector<Buffer> totals;
  for (const Range& range : p.buckets())
    totals.push_back(p.scratch(p.host_place(ReplicaId(0)), range.count));
  const Buffer master = p.master(p.host_place(ReplicaId(0)));
  const auto buckets = p.buckets();
  for (const auto r : p.replicas()) p.copy(p.parameters(r), master);
  p.compute();
  for (std::size_t b = 0; b < buckets.size(); ++b) p.sum(totals[b], p.all_gradients(buckets[b]));
  p.compute();
  for (std::size_t b = 0; b < buckets.size(); ++b) {
    std::vector<Span> parts = p.all_gradients(buckets[b]);
    parts.insert(parts.begin(), totals[b]);
    p.sum(totals[b], parts);
    p.apply(master[buckets[b]], totals[b], {.contributions = 2 * p.replica_count()});
  }
}

void write_sequential(Planner& p) {
  const Buffer master = p.master(p.host_place(ReplicaId(0)));
  for (const auto r : p.replicas()) p.copy(p.parameters(r), master);
  p.compute();
  for (const Range& range : p.buckets())
    for (const auto r : p.replicas()) {
      const Buffer arrived = p.scratch(p.host_place(ReplicaId(0)), range.count);
      p.copy(arrived, p.gradient(r)[range]);
      p.apply(master[range], arrived, {.contributions = 1});
    }
}

void write_in_turns(Planner& p) {
  const Buffer master = p.master(p.host_place(ReplicaId(0)));
  for (const auto r : p.replicas()) {
    p.copy(p.parameters(r), master);
    p.compute_replica(r);
    const Buffer arrived = p.scratch(p.host_place(ReplicaId(0)), p.arena_elements());
    p.copy(arrived, p.gradient(r));
    p.apply(master, arrived, {.contributions = 1});
  }
}

void write_by_replica(Planner& p) {
  const Buffer master = p.master(p.host_place(ReplicaId(0)));
  for (const auto r : p.replicas()) {
    p.copy(p.parameters(r), master);
    for (const std::uint32_t set : {0u, 1u}) p.compute_replica(r, {.gradient_set = SetId(set)});
  }
  for (const Range& range : p.buckets()) {
    std::vector<Span> parts = p.all_gradients(range, SetId(0));
    const std::vector<Span> second = p.all_gradients(range, SetId(1));
    parts.insert(parts.end(), second.begin(), second.end());
    const Buffer total = p.scratch(p.host_place(ReplicaId(0)), range.count);
    p.sum(total, parts);
    p.apply(master[range], total, {.contributions = 2 * p.replica_count()});
  }
}

void write_asynchronous(Planner& p) {
  for (const auto r : p.replicas()) {
    const Buffer master = p.master(p.host_place(ReplicaId(0)));
    auto read = make_sized<convoy_operation>();
    read.kind = CONVOY_OP_COPY;
    read.flags = CONVOY_OP_RELAXED_READS;
    read.max_lag = CONVOY_UNBOUNDED;
    read.place = CONVOY_NONE;
    p.emit(read, {master}, {p.parameters(r)});
    p.compute_replica(r);
    auto update = make_sized<convoy_operation>();
    update.kind = CONVOY_OP_APPLY;
    update.flags = CONVOY_OP_ANY_ORDER;
    update.contributions = 1;
    update.place = CONVOY_NONE;
    for (const Range& range : p.buckets()) {
      const Buffer arrived = p.scratch(p.host_place(ReplicaId(0)), range.count);
      p.copy(arrived, p.gradient(r)[range]);
      p.emit(update, {arrived}, {master[range]});
    }
  }
}

WritePlan write_lagging(std::uint64_t max_lag) {
  return [max_lag](Planner& p) {
    const PlaceId home = p.host_place(ReplicaId(0));
    for (const auto r : p.replicas())
      p.copy(p.parameters(r), p.master(home), {.relaxed = true, .max_lag = max_lag});
    p.compute();
    for (const auto r : p.replicas()) {
      const Buffer brought = p.scratch(home, p.arena_elements());
      p.copy(brought, p.gradient(r));
      p.apply(p.master(home), brought, {.contributions = 1, .any_order = true});
    }
  };
}

void write_compressed(Planner& p) {
  p.compute();
  for (const Range& range : p.buckets()) {
    std::vector<Span> wide;
    for (const auto r : p.replicas()) {
      const Buffer half = p.scratch(p.replica_place(r), range.count, Dtype::kBf16);
      p.cast(half, p.gradient(r)[range]);
      const Buffer arrived = p.scratch(p.replica_place(ReplicaId(0)), range.count, Dtype::kBf16);
      p.copy(arrived, half);
      wide.push_back(p.scratch(p.replica_place(ReplicaId(0)), range.count));
      p.cast(wide.back(), arrived);
    }
    const Buffer total = p.scratch(p.replica_place(ReplicaId(0)), range.count);
    p.sum(total, wide);
    for (const auto r : p.replicas()) {
      p.copy(p.gradient(r)[range], total);
      p.apply(p.parameters(r)[range], p.gradient(r)[range]);
    }
  }
}

}  // namespace convoy::testing
