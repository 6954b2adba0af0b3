#include "core/plan/stages.hpp"

#include <gtest/gtest.h>

#include "core/base/error.hpp"
#include "core/plan/schedule/live_ranges.hpp"
#include "core/plan/step_plan.hpp"
#include "tests/plan/sample_models.hpp"
#include "tests/plan/sample_plans.hpp"

namespace convoy::testing::stages_test {
namespace {

const convoy_host kHost{sizeof(convoy_host), [](convoy_context*, const char*) {},
                        [](convoy_context*, std::int32_t, const char*) {},
                        [](convoy_context*, const char*) -> const char* { return nullptr; }};

plan::PlanAuthor author_of(const WritePlan& write) {
  return {"sample", [write](const convoy_planner& table) {
            Planner planner(&table, &kHost, nullptr);
            write(planner);
          }};
}

// Synchronous, and from that step on with two computes for each update.
WritePlan growing_batch(std::uint64_t step) {
  return [step](Planner& p) {
    write_replicated(Algorithm::kDevice)(p);
    p.from_step(step, [&] { write_accumulating(p); });
  };
}

TEST(Stages, ArePartsOfOnePlan) {
  const plan::ArenaMap arena = small_arena(40);
  const plan::Cluster cluster = plan::make_single_host(2, true, "cpu");
  const plan::Plan plan = write_plan(cluster, arena, growing_batch(6));
  ASSERT_EQ(plan::stage_count(plan), 2u);
  EXPECT_EQ(plan::first_step_of(plan, 1), 6u);
  EXPECT_EQ(plan::stage_at(plan, 0), 0u);
  EXPECT_EQ(plan::stage_at(plan, 5), 0u);
  EXPECT_EQ(plan::stage_at(plan, 6), 1u);
  EXPECT_EQ(plan::stage_at(plan, 1000), 1u);
  const plan::Plan alone = write_plan(cluster, arena, write_accumulating);
  const plan::Plan later = plan::stage_of(plan, 1);
  EXPECT_EQ(later.computes, 2u);
  EXPECT_EQ(later.body.size(), alone.body.size());
  EXPECT_EQ(plan::plan_hash(plan::stage_of(plan, 0)),
            plan::plan_hash(write_plan(cluster, arena, write_replicated(Algorithm::kDevice))));
}

TEST(Stages, OrderOfWritingDoesNotMatter) {
  const plan::ArenaMap arena = small_arena(40);
  const plan::Cluster cluster = plan::make_single_host(2, true, "cpu");
  const auto write = [](Planner& p) {
    p.from_step(4, [&] { write_replicated(Algorithm::kRing)(p); });
    p.from_step(2, [&] { write_copy_reduce(p); });
    write_replicated(Algorithm::kDevice)(p);
  };
  const plan::Plan plan = write_plan(cluster, arena, write);
  ASSERT_EQ(plan::stage_count(plan), 3u);
  EXPECT_EQ(plan::first_step_of(plan, 1), 2u);
  EXPECT_EQ(plan::first_step_of(plan, 2), 4u);
}

TEST(Stages, ChangeTheHashByTheirStepsAndBodies) {
  const plan::Cluster cluster = plan::make_single_host(2, true, "cpu");
  const auto hash = [&](const WritePlan& write) {
    return plan::StepPlan(cluster, small_arena(40), author_of(write)).hash();
  };
  EXPECT_EQ(hash(growing_batch(6)), hash(growing_batch(6)));
  EXPECT_NE(hash(growing_batch(6)), hash(growing_batch(8)));
  EXPECT_NE(hash(growing_batch(6)), hash(write_replicated(Algorithm::kDevice)));
}

TEST(Stages, ThatCannotBeAreRefused) {
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "computes nothing from step 3 on",
                      plan_refusal([](Planner& p) {
                        write_replicated(Algorithm::kDevice)(p);
                        p.from_step(3, [] {});
                      }));
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "computes nothing from step 0 on",
                      plan_refusal([](Planner& p) {
                        p.from_step(3, [&] { write_replicated(Algorithm::kDevice)(p); });
                      }));
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "let the next one begin with step 6",
                      plan_refusal([](Planner& p) {
                        write_accumulating(p);
                        p.from_step(5, [&] { write_replicated(Algorithm::kDevice)(p); });
                      }));
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "relaxed read or an update in any order",
                      plan_refusal([](Planner& p) {
                        write_asynchronous(p);
                        p.from_step(5, [&] { write_replicated(Algorithm::kDevice)(p); });
                      }));
}

TEST(Stages, ShareStagingMemoryWhenLowered) {
  plan::Cluster cluster = plan::make_single_host(4, false, "cuda");
  const plan::StepPlan one(cluster, small_arena(40), author_of(write_parameter_server));
  const plan::StepPlan two(cluster, small_arena(40), author_of([](Planner& p) {
                             write_parameter_server(p);
                             p.from_step(4, [&] { write_parameter_server(p); });
                           }));
  ASSERT_EQ(two.stages(), 2u);
  // The author's own sums are scratch that each writing declares anew; staging is not.
  const std::size_t own = two.logical().buffers.size() - one.logical().buffers.size();
  EXPECT_EQ(two.lowered().buffers.size(), one.lowered().buffers.size() + own);
  EXPECT_EQ(two.lowered(1).body.size(), one.lowered().body.size());
  EXPECT_EQ(two.schedule(1).submission, one.schedule().submission);
}

TEST(Stages, ComeOutOfTheHostsGuardsWithOneLossScale) {
  plan::GuardOptions guard;
  guard.automatic_loss_scale = true;
  guard.loss_scale.scale = 128;
  plan::Cluster cluster = plan::make_single_host(2, true, "cpu");
  const plan::StepPlan plan(cluster, small_arena(40), author_of([](Planner& p) {
                              write_replicated(Algorithm::kDevice)(p);
                              p.from_step(3, [&] { write_copy_reduce(p); });
                            }),
                            {.guard = guard});
  const auto scale_of = [&](std::size_t stage) {
    for (const plan::Operation& operation : plan.lowered(stage).body)
      if ((operation.flags & CONVOY_OP_LOSS_SCALED) != 0)
        return plan::loss_scale_span(operation).buffer;
    return CONVOY_NONE;
  };
  ASSERT_NE(scale_of(0), CONVOY_NONE);
  EXPECT_EQ(scale_of(0), scale_of(1));
  EXPECT_TRUE(plan.lowered(1).prologue.empty());
}

TEST(Stages, HandOverWhatLaterOnesRead) {
  const plan::ArenaMap arena = small_arena(0);
  const plan::Cluster cluster = plan::make_single_host(1, true, "cpu");
  std::uint32_t kept = 0;
  const plan::Plan plan = write_plan(cluster, arena, [&](Planner& p) {
    const Buffer sum = p.persistent(PlaceId(0), p.arena_elements());
    kept = sum.id;
    const Span gradient = p.gradient(ReplicaId(0));
    p.compute();
    p.apply(p.parameters(ReplicaId(0)), gradient);
    p.from_step(2, [&] {
      p.compute();
      p.apply(p.parameters(ReplicaId(0)), gradient);
      p.axpy(sum, 1, gradient, sum);
    });
  });
  EXPECT_TRUE(plan::live_ranges(plan::stage_of(plan, 0), 0)[kept].empty());
  EXPECT_FALSE(plan::live_ranges_at(plan, 1, 0)[kept].empty());
  EXPECT_FALSE(plan::live_ranges_at(plan, 2, 0)[kept].empty());
}

}  // namespace
}  // namespace convoy::testing::stages_test
