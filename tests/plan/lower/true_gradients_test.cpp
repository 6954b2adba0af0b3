#include "core/plan/lower/true_gradients.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "core/plan/host_cluster.hpp"
#include "core/plan/lower/lower.hpp"
#include "tests/plan/lower/guarded_plans.hpp"
#include "tests/plan/sample_gradients.hpp"
#include "tests/plan/sample_plans.hpp"

namespace convoy::testing::true_gradients_test {
namespace {

// Replicas sum their gradients, which `change` then changes on each of them before the update.
WritePlan with_changed_sums(const std::function<void(Planner& p, ReplicaId r)>& change) {
  return [change](Planner& p) {
    p.compute();
    p.all_reduce(p.all_gradients(p.arena()));
    for (const ReplicaId r : p.replicas()) {
      change(p, r);
      p.apply(p.parameters(r), p.gradient(r));
    }
  };
}

// As in LARS: gradients get the length of the weights.
void take_length_of_weights(Planner& p, ReplicaId r) {
  const Buffer rate = p.scratch(p.replica_place(r), 1);
  const Buffer square = p.scratch(p.replica_place(r), 1);
  p.dot(rate, p.parameters(r), p.parameters(r));
  p.dot(square, p.gradient(r), p.gradient(r));
  p.divide(rate, rate, square, 1);
  p.square_root(rate, rate);
  p.multiply(p.gradient(r), p.gradient(r), rate);
}

void add_weight_decay(Planner& p, ReplicaId r) {
  p.axpy(p.gradient(r), 0.25, p.parameters(r), p.gradient(r));
}

// As in Muon: the update has the same length whatever the gradient is.
void take_directions(Planner& p, ReplicaId r) {
  const Span matrix = p.gradient(r)[{0, 64}];
  p.orthogonalise(matrix, matrix, 8, 8);
}

// Updates without apply.
void write_own_updates(Planner& p) {
  p.compute();
  p.all_reduce(p.all_gradients(p.arena()));
  for (const ReplicaId r : p.replicas())
    p.axpy(p.parameters(r), -0.125, p.gradient(r), p.parameters(r));
}

void halve(Planner& p, ReplicaId r) {
  p.scale(p.gradient(r), p.gradient(r), 0.5);
}

plan::Plan written(const plan::ArenaMap& arena, const plan::Cluster& cluster,
                   const WritePlan& write) {
  return write_plan(cluster, arena, write);
}

TEST(TrueGradients, AreNeededWhereUpdatesDoNotGrowWithThem) {
  const plan::ArenaMap arena = small_arena(0);
  const plan::Cluster cluster = plan::make_single_host(2, true, "cpu");
  const auto needs = [&](const WritePlan& write) {
    return plan::needs_true_gradients(written(arena, cluster, write));
  };
  EXPECT_TRUE(needs(with_changed_sums(take_length_of_weights)));
  EXPECT_TRUE(needs(with_changed_sums(add_weight_decay)));
  EXPECT_TRUE(needs(with_changed_sums(take_directions)));
  EXPECT_TRUE(needs(write_own_updates));
  EXPECT_FALSE(needs(with_changed_sums(halve)));
  EXPECT_FALSE(needs([](Planner& p) {
    p.compute();
    write_low_rank(p, {0, 64}, {8, 8}, 2);
  })) << "products of gradients with directions grow with them";
  for (const SamplePlan& sample : sample_plans()) EXPECT_FALSE(needs(sample.write)) << sample.name;
}

// A power of two is exact, so that every bit must be the same.
TEST(TrueGradients, MakeTheSameTrainingWithAnyLossScale) {
  const plan::ArenaMap arena = ragged_arena();
  for (const bool peer_access : {true, false})
    for (const WritePlan& write :
         {with_changed_sums(take_length_of_weights), with_changed_sums(add_weight_decay),
          with_changed_sums(take_directions), WritePlan(write_own_updates)}) {
      const plan::Cluster cluster = plan::make_single_host(2, peer_access, "cpu");
      const plan::Plan plan = written(arena, cluster, write);
      for (const bool clips : {false, true}) {
        plan::GuardOptions options;
        options.loss_scale.scale = 4096;
        options.clip_norm = clips ? 1e6 : 0;
        const plan::Plan lowered = plan::lower(guarded(plan, options), kSmallPieces);
        Interpreter plain(plan, sample_options(arena, exact_gradient));
        Interpreter scaled(lowered, sample_options(arena, exact_gradient));
        plain.run(3);
        scaled.run(3);
        for (std::uint32_t i = 0; i < plan.buffers.size(); ++i) {
          if (plan.buffers[i].kind != CONVOY_BUFFER_PARAMETERS) continue;
          EXPECT_TRUE(std::ranges::equal(plain.values(i), scaled.values(i)))
              << plan.buffer_name(i) << ", clips " << clips;
        }
      }
    }
}

}  // namespace
}  // namespace convoy::testing::true_gradients_test
