#include "tests/plan/check/sample_stages.hpp"

#include "tests/plan/sample_plans.hpp"

namespace convoy::testing {

void write_together(Planner& p) {
  write_replicated(Algorithm::kDevice)(p);
}

void train_alone(Planner& p, int steps) {
  for (int i = 0; i < steps; ++i) {
    p.compute();
    for (const ReplicaId r : p.replicas())
      p.apply(p.parameters(r), p.gradient(r), {.contributions = 1});
  }
}

void average(Planner& p) {
  p.all_reduce(p.all_parameters(p.arena()));
  for (const ReplicaId r : p.replicas())
    p.scale(p.parameters(r), p.parameters(r), 1.0 / p.replica_count());
}

void add_steps_to_shards(Planner& p, int steps, const std::vector<Range>& pieces,
                         const std::vector<Span>& sums) {
  for (int step = 0; step < steps; ++step) {
    p.compute();
    std::vector<Span> now;
    for (std::size_t i = 0; i < pieces.size(); ++i)
      now.push_back(p.scratch(p.replica_place(p.replicas()[i]), pieces[i].count));
    p.reduce_scatter(now, p.all_gradients(p.arena()));
    for (std::size_t i = 0; i < pieces.size(); ++i) p.add(sums[i], sums[i], now[i]);
  }
}

void compress(Planner& p, const std::vector<Buffer>& residuals) {
  p.compute();
  std::vector<Span> sent;
  for (const ReplicaId r : p.replicas()) {
    const PlaceId here = p.replica_place(r);
    const Span residual = residuals[r.index()];
    p.add(residual, residual, p.gradient(r));
    const Buffer half = p.scratch(here, p.arena_elements(), Dtype::kBf16);
    const Buffer back = p.scratch(here, p.arena_elements());
    p.cast(half, residual);
    p.cast(back, half);
    p.axpy(residual, -1, back, residual);
    sent.push_back(back);
  }
  p.all_reduce(sent);
  for (const ReplicaId r : p.replicas()) p.apply(p.parameters(r), sent[r.index()]);
}

std::vector<Buffer> residuals(Planner& p) {
  std::vector<Buffer> result;
  for (const ReplicaId r : p.replicas())
    result.push_back(p.persistent(p.replica_place(r), p.arena_elements()));
  return result;
}

namespace {

void growing_local_steps(Planner& p) {
  write_together(p);
  p.from_step(2, [&] { train_alone(p, 2), average(p); });
  p.from_step(6, [&] { train_alone(p, 3), average(p); });
}

void compression_after_warm_up(Planner& p) {
  const std::vector<Buffer> rest = residuals(p);
  write_together(p);
  p.from_step(3, [&] { compress(p, rest); });
  p.from_step(5, [&] { compress(p, rest); });
}

void another_way_to_sum(Planner& p) {
  write_together(p);
  p.from_step(2, [&] { write_copy_reduce(p); });
  p.from_step(4, [&] { write_scattered(p); });
}

void meeting_after_a_start_alone(Planner& p) {
  train_alone(p, 1);
  p.from_step(3, [&] {
    p.prologue([&] { average(p); });
    write_together(p);
  });
}

// Residuals get out before nobody reads them any more.
void compression_that_ends(Planner& p) {
  const std::vector<Buffer> rest = residuals(p);
  compress(p, rest);
  p.from_step(4, [&] {
    p.prologue([&] {
      std::vector<Span> all(rest.begin(), rest.end());
      p.all_reduce(all);
      for (const ReplicaId r : p.replicas()) p.apply(p.parameters(r), all[r.index()]);
    });
    write_together(p);
  });
}

}  // namespace

std::vector<SampleStages> sample_stages() {
  return {{"growing local steps", growing_local_steps},
          {"compression after a warm-up", compression_after_warm_up},
          {"another way to sum", another_way_to_sum},
          {"meeting after a start alone", meeting_after_a_start_alone},
          {"compression that ends", compression_that_ends}};
}

}  // namespace convoy::testing
