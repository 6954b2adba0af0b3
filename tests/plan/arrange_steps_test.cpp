#include "core/plan/arrange_steps.hpp"

#include <gtest/gtest.h>

#include "core/base/error.hpp"
#include "core/plan/host_cluster.hpp"
#include "tests/plan/sample_plans.hpp"

namespace convoy::testing::arrange_steps_test {
namespace {

plan::Plan written(const WritePlan& write) {
  return write_plan(plan::make_single_host(3, true, "cpu"), small_arena(0), write);
}

void train_alone(Planner& p, ReplicaId replica) {
  p.compute_replica(replica);
  p.apply(p.parameters(replica), p.gradient(replica), {.contributions = 1});
}

TEST(ArrangeSteps, OfOneReplicaAfterTheOtherAreTheStepsOfAll) {
  const plan::Plan by_replica = written([](Planner& p) {
    for (const auto r : p.replicas())
      for (int step = 0; step < 2; ++step) train_alone(p, r);
  });
  const plan::Plan by_step = written([](Planner& p) {
    for (int step = 0; step < 2; ++step)
      for (const auto r : p.replicas()) train_alone(p, r);
  });
  EXPECT_EQ(by_replica.computes, 2u);
  EXPECT_EQ(plan::plan_hash(by_replica), plan::plan_hash(by_step));
}

// Fetched once for two steps, without waiting for what others do meanwhile.
TEST(ArrangeSteps, RelaxedReadsDoNotTieStepsToEachOther) {
  const plan::Plan plan = written([](Planner& p) {
    const Buffer master = p.master(p.host_place(ReplicaId(0)));
    for (const auto r : p.replicas()) {
      p.copy(p.parameters(r), master, {.relaxed = true});
      for (int step = 0; step < 2; ++step) {
        p.compute_replica(r);
        p.apply(master, p.gradient(r), {.contributions = 1, .any_order = true});
      }
    }
  });
  std::uint32_t phase = 0;
  for (const plan::Operation& operation : plan.body) {
    EXPECT_GE(operation.phase, phase);
    phase = operation.phase;
  }
  for (const std::uint32_t step : {0u, 1u})
    EXPECT_EQ(std::ranges::count_if(plan.body,
                                    [&](const plan::Operation& it) {
                                      return it.kind == plan::OperationKind::kForward &&
                                             it.phase == step;
                                    }),
              3)
        << step;
}

TEST(ArrangeSteps, ThatWaitForLaterStepsOfOthersAreRefused) {
  const auto write = [](Planner& p) {
    const Buffer master = p.master(p.host_place(ReplicaId(0)));
    for (const auto r : p.replicas())
      for (int step = 0; step < 2; ++step) {
        p.copy(p.parameters(r), master);
        p.compute_replica(r);
        p.apply(master, p.gradient(r), {.contributions = 1});
      }
  };
  try {
    written(write);
    ADD_FAILURE() << "nothing is refused";
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()),
              "the forward of replica 1 in step 1 of the period depends on operation 8 (copy), "
              "which belongs to step 2; write the plan step by step: all replicas' first steps "
              "before the second of any");
  }
}

}  // namespace
}  // namespace convoy::testing::arrange_steps_test
