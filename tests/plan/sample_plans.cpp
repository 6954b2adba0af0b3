#include "tests/plan/sample_plans.hpp"

namespace convoy::testing {
namespace {

PlaceId host_of(Planner& p) {
  return p.host_place(ReplicaId(0));
}

ReplicaId owner(Planner& p, std::size_t bucket) {
  return ReplicaId(static_cast<std::uint32_t>(bucket % p.replica_count()));
}

void server(Planner& p, bool on_devices) {
  const auto buckets = p.buckets();
  const auto place = [&](std::size_t b) {
    return on_devices ? p.replica_place(owner(p, b)) : host_of(p);
  };
  for (std::size_t b = 0; b < buckets.size(); ++b)
    for (const auto r : p.replicas())
      p.copy(p.parameters(r)[buckets[b]], p.master(place(b))[buckets[b]]);
  p.compute();
  for (std::size_t b = 0; b < buckets.size(); ++b) {
    const Buffer total = p.scratch(place(b), buckets[b].count);
    p.sum(total, p.all_gradients(buckets[b]));
    p.apply(p.master(place(b))[buckets[b]], total);
  }
}

}  // namespace

void write_parameter_server(Planner& p) {
  server(p, false);
}
void write_sharded_server(Planner& p) {
  server(p, true);
}

WritePlan write_replicated(Algorithm algorithm) {
  return [algorithm](Planner& p) {
    p.compute();
    for (const Range& range : p.buckets()) {
      p.all_reduce(p.all_gradients(range), {.algorithm = algorithm});
      for (const auto r : p.replicas()) p.apply(p.parameters(r)[range], p.gradient(r)[range]);
    }
  };
}

void write_copy_reduce(Planner& p) {
  const auto buckets = p.buckets();
  p.compute();
  for (std::size_t b = 0; b < buckets.size(); ++b) {
    const Buffer total = p.scratch(p.replica_place(owner(p, b)), buckets[b].count);
    p.sum(total, p.all_gradients(buckets[b]));
    for (const auto r : p.replicas()) {
      p.copy(p.gradient(r)[buckets[b]], total);
      p.apply(p.parameters(r)[buckets[b]], p.gradient(r)[buckets[b]]);
    }
  }
}

void write_scattered(Planner& p) {
  p.compute();
  for (const Range& range : p.buckets()) {
    const auto pieces = split(range, p.replica_count());
    std::vector<Span> sums;
    std::vector<Span> updated;
    for (std::uint32_t r = 0; r < pieces.size(); ++r) {
      sums.push_back(p.scratch(p.replica_place(ReplicaId(r)), pieces[r].count));
      updated.push_back(p.parameters(ReplicaId(r))[pieces[r]]);
    }
    p.reduce_scatter(sums, p.all_gradients(range));
    for (std::size_t r = 0; r < pieces.size(); ++r) p.apply(updated[r], sums[r]);
    p.all_gather(p.all_parameters(range), updated);
  }
}

void write_ring(Planner& p) {
  const std::uint32_t n = p.replica_count();
  const auto gradient = [&](std::uint32_t index) { return p.gradient(ReplicaId(index % n)); };
  p.compute();
  for (const Range& range : p.buckets()) {
    const auto pieces = split(range, n);
    const auto piece_of = [&](std::uint32_t index) { return pieces[index % n]; };
    const auto exists = [&](std::uint32_t index) { return index % n < pieces.size(); };
    for (std::uint32_t step = 0; step + 1 < n; ++step)
      for (std::uint32_t r = 0; r < n; ++r) {
        if (!exists(r + n - step)) continue;
        const Range piece = piece_of(r + n - step);
        const Span mine = gradient(r + 1)[piece];
        p.add(mine, gradient(r)[piece], mine);
      }
    for (std::uint32_t step = 0; step + 1 < n; ++step)
      for (std::uint32_t r = 0; r < n; ++r)
        if (exists(r + 1 + n - step)) {
          const Range piece = piece_of(r + 1 + n - step);
          p.copy(gradient(r + 1)[piece], gradient(r)[piece]);
        }
    for (const auto r : p.replicas()) p.apply(p.parameters(r)[range], p.gradient(r)[range]);
  }
}

void write_prescaled(Planner& p) {
  p.compute();
  for (const Range& range : p.buckets()) {
    for (const Span& gradient : p.all_gradients(range))
      p.scale(gradient, gradient, 1.0 / p.replica_count());
    p.all_reduce(p.all_gradients(range));
    for (const auto r : p.replicas())
      p.apply(p.parameters(r)[range], p.gradient(r)[range], {.contributions = 1});
  }
}

std::vector<SamplePlan> sample_plans() {
  return {{"parameter_server", write_parameter_server, true},
          {"sharded_server", write_sharded_server, true},
          {"replicated", write_replicated(Algorithm::kDevice), true},
          {"replicated_ring", write_replicated(Algorithm::kRing), true},
          {"replicated_tree", write_replicated(Algorithm::kTree), true},
          {"replicated_direct", write_replicated(Algorithm::kDirect), true},
          {"replicated_two_level", write_replicated(Algorithm::kTwoLevel), true},
          {"copy_reduce", write_copy_reduce, true},
          {"scattered", write_scattered, true},
          {"ring", write_ring, true},
          {"prescaled", write_prescaled, true},
          {"independent", write_independent, false},
          {"staged", write_staged, false},
          {"deferred", write_deferred, false},
          {"accumulating", write_accumulating, false},
          {"sequential", write_sequential, false},
          {"in_turns", write_in_turns, false},
          {"by_replica", write_by_replica, false},
          {"asynchronous", write_asynchronous, false},
          {"compressed", write_compressed, false}};
}

void write_low_rank(Planner& p, Range range, MatrixShape of, std::uint64_t rank,
                    const std::function<void(Span product, ReplicaId)>& spoil) {
  std::vector<Span> rests, directions, columns;
  const std::vector<Span> sums = p.all_gradients(range);
  for (const auto r : p.replicas()) {
    const PlaceId here = p.replica_place(r);
    rests.push_back(p.persistent(here, range.count));
    directions.push_back(p.persistent(here, of.columns * rank));
    columns.push_back(p.scratch(here, of.rows * rank));
    p.add(rests.back(), sums[r.index()], rests.back());
    p.matmul(columns.back(), rests.back(), directions.back(), of.rows, rank, of.columns);
    if (spoil) spoil(columns.back(), r);
  }
  p.all_reduce(columns);
  for (std::size_t r = 0; r < sums.size(); ++r) {
    p.orthogonalise(columns[r], columns[r], of.rows, rank);
    p.matmul(directions[r], rests[r], columns[r], of.columns, rank, of.rows, {true, false});
    p.matmul(sums[r], columns[r], directions[r], of.rows, of.columns, rank, {false, true});
    p.axpy(rests[r], -1, sums[r], rests[r]);
  }
  p.all_reduce(directions);
  for (const auto r : p.replicas()) {
    const std::size_t i = r.index();
    p.matmul(sums[i], columns[i], directions[i], of.rows, of.columns, rank, {false, true});
    p.apply(p.parameters(r)[range], sums[i]);
  }
}

}  // namespace convoy::testing
