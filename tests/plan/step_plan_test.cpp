#include "core/plan/step_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/base/error.hpp"
#include "core/plan/lower/forward_plan.hpp"
#include "core/plan/lower/fuse_updates.hpp"
#include "core/plan/make_plan.hpp"
#include "tests/plan/mixed_updates.hpp"
#include "tests/plan/random_plans.hpp"
#include "tests/plan/sample_models.hpp"
#include "tests/plan/sample_plans.hpp"

namespace convoy::testing {
namespace {

const convoy_host kHost{sizeof(convoy_host), [](convoy_context*, const char*) {},
                        [](convoy_context*, std::int32_t, const char*) {},
                        [](convoy_context*, const char*) -> const char* { return nullptr; }};

// Counts how often it writes.
struct Author {
  plan::PlanAuthor of(const WritePlan& write) {
    return {"sample", [this, write](const convoy_planner& table) {
              ++writings;
              Planner planner(&table, &kHost, nullptr);
              write(planner);
            }};
  }
  int writings = 0;
};

plan::GuardOptions clipped() {
  plan::GuardOptions guard;
  guard.clip_norm = 1;
  return guard;
}

TEST(StepPlan, IsWhatItsPartsGiveInTheirOrder) {
  Author author;
  const plan::ArenaMap arena = small_arena(40);
  plan::Cluster cluster = plan::make_single_host(2, true, "cpu");
  for (const bool joins : {true, false})
    for (const plan::GuardOptions& guards : {plan::GuardOptions{}, clipped()}) {
      cluster.joins_updates = joins;
      const plan::StepPlan plan(cluster, arena, author.of(write_parameter_server),
                                {.guard = guards});
      const plan::Plan logical = write_plan(cluster, arena, write_parameter_server);
      const plan::Plan guarded = plan::guard(logical, plan::check::check_plan(logical), guards);
      const plan::Plan lowered = plan::lower(
          joins ? plan::fuse_updates(guarded, *guarded.cluster, false).value_or(guarded) : guarded);
      EXPECT_EQ(plan::plan_hash(plan.logical()), plan::plan_hash(logical));
      EXPECT_EQ(plan::plan_hash(plan.lowered()), plan::plan_hash(lowered));
      EXPECT_EQ(plan.schedule().submission, plan::make_schedule(lowered).submission);
      EXPECT_EQ(plan.check().verdict_text(), plan::check::check_plan(logical).verdict_text());
      EXPECT_EQ(plan.hash().size(), 16u);
    }
}

TEST(StepPlan, TellsApartWhatRunsDifferently) {
  Author author;
  plan::Cluster cluster = plan::make_single_host(2, true, "cpu");
  const auto hash = [&](std::uint64_t bucket, const plan::GuardOptions& guards) {
    return plan::StepPlan(cluster, small_arena(bucket), author.of(write_parameter_server),
                          {.guard = guards})
        .hash();
  };
  const std::string plain = hash(40, {});
  EXPECT_EQ(hash(40, {}), plain);
  EXPECT_NE(hash(0, {}), plain);
  EXPECT_NE(hash(40, clipped()), plain);
  cluster.joins_updates = false;
  EXPECT_NE(hash(40, {}), plain);
}

TEST(StepPlan, IsWrittenOnceForThoseWhoOnlyCompare) {
  Author author;
  const plan::Cluster cluster = plan::make_single_host(2, true, "cpu");
  const plan::StepPlan twice(cluster, small_arena(40), author.of(write_parameter_server));
  EXPECT_EQ(author.writings, 2);
  const plan::StepPlan once(cluster, small_arena(40), author.of(write_parameter_server),
                            {.written_twice = false});
  EXPECT_EQ(author.writings, 3);
  EXPECT_EQ(once.hash(), twice.hash());
}

TEST(StepPlan, IsWrittenAgainLater) {
  Author author;
  const plan::Cluster cluster = plan::make_single_host(2, true, "cpu");
  const plan::StepPlan once(cluster, small_arena(40), author.of(write_parameter_server),
                            {.written_twice = false, .expected_operations = 3});
  once.write_again(author.of(write_parameter_server));
  EXPECT_EQ(author.writings, 2);
  try {
    once.write_again(author.of([](Planner& p) { p.compute(); }));
    FAIL() << "another plan was accepted";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("two different plans"), std::string::npos)
        << error.what();
  }
}

TEST(StepPlan, IsSharedByClustersForWhichItsAuthorWritesTheSame) {
  Author author;
  const plan::Cluster near = plan::make_single_host(3, true, "cpu");
  const plan::Cluster apart = plan::make_single_host(3, false, "cpu");
  const plan::PlanAuthor writes_the_same = author.of(write_parameter_server);
  const plan::StepPlan plan(near, small_arena(40), writes_the_same);
  ASSERT_TRUE(plan.is_also_written_for(apart, writes_the_same));
  EXPECT_EQ(author.writings, 3);
  const plan::StepPlan shared(plan, apart);
  EXPECT_EQ(&shared.logical(), &plan.logical());
  EXPECT_EQ(shared.lowered().cluster, &apart);
  EXPECT_EQ(shared.hash(), plan::StepPlan(apart, small_arena(40), writes_the_same).hash());
  EXPECT_NE(shared.hash(), plan.hash());
}

TEST(StepPlan, IsNotSharedWhereAnotherOneIsWrittenOrMemoryIsElsewhere) {
  Author author;
  const plan::Cluster near = plan::make_single_host(3, true, "cpu");
  const plan::PlanAuthor writes_by_routes = author.of([](Planner& p) {
    write_parameter_server(p);
    const bool peers = p.route(PlaceId(0), PlaceId(1)).peer_access;
    p.fill(p.scratch(PlaceId(0), 1), peers ? 1 : 2);
  });
  const plan::StepPlan by_routes(near, small_arena(40), writes_by_routes);
  EXPECT_FALSE(
      by_routes.is_also_written_for(plan::make_single_host(3, false, "cpu"), writes_by_routes));
  const plan::PlanAuthor writes_the_same = author.of(write_parameter_server);
  const plan::StepPlan plan(near, small_arena(40), writes_the_same);
  EXPECT_FALSE(plan.is_also_written_for(plan::make_single_host(4, true, "cpu"), writes_the_same));
  EXPECT_FALSE(plan.is_also_written_for(plan::make_single_host(3, true, "cuda"), writes_the_same));
  const plan::StepPlan guarded(near, small_arena(40), writes_the_same, {.guard = clipped()});
  EXPECT_FALSE(
      guarded.is_also_written_for(plan::make_single_host(3, false, "cpu"), writes_the_same));
}

// What cannot be guarded is refused with the words of the proof it was given.
TEST(StepPlan, TakesAProofInsteadOfMakingIt) {
  Author author;
  const plan::Cluster cluster = plan::make_single_host(2, true, "cpu");
  plan::GuardOptions guards;
  guards.automatic_loss_scale = true;
  plan::StepPlan plan(cluster, small_arena(40), author.of(write_parameter_server),
                      {.guard = guards});
  plan::check::CheckReport report;
  report.verdict = report.exact = plan::check::Verdict::kAsynchronous;
  plan.take_check(report);
  try {
    plan.lowered();
    FAIL() << "it was guarded";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kUsage);
    EXPECT_NE(std::string(error.what()).find("asynchronous"), std::string::npos) << error.what();
  }
}

void update_all(Planner& p, Range range) {
  p.compute();
  p.all_reduce(p.all_gradients(range));
  for (const ReplicaId r : p.replicas()) p.apply(p.parameters(r)[range], p.gradient(r)[range]);
}

std::size_t updates_in(const std::vector<plan::Operation>& section) {
  return static_cast<std::size_t>(
      std::ranges::count(section, plan::OperationKind::kApply, &plan::Operation::kind));
}

// Devices get one number per update, and Adam corrects the moments of all its elements by that.
TEST(StepPlan, CutsUpdatesOfWhatEarlierStagesUpdatedMoreOrLessOften) {
  const plan::ArenaMap arena = small_arena(40);
  plan::Cluster cluster = plan::make_single_host(2, true, "cpu");
  const Range part{16, 32};
  Author author;
  for (const bool joins : {true, false}) {
    cluster.joins_updates = joins;
    const plan::StepPlan plan(cluster, arena, author.of([&](Planner& p) {
      update_all(p, part);
      p.from_step(5, [&] { update_all(p, p.arena()); });
      p.from_step(7, [&] { update_all(p, part); });
    }));
    EXPECT_EQ(first_mixed_update(plan.lowered()), "none");
    const std::size_t replicas = joins ? 1 : 2;  // that an update is of
    EXPECT_EQ(updates_in(plan.lowered(0).body), replicas);
    EXPECT_EQ(updates_in(plan.lowered(1).body), 3 * replicas) << "before, within, behind the part";
    EXPECT_EQ(updates_in(plan.lowered(2).body), replicas);
  }
}

TEST(StepPlan, CutsUpdatesOfRandomStages) {
  Author author;
  const plan::ArenaMap arena = small_arena(32);
  for (std::uint32_t seed = 0; seed < 100; ++seed) {
    const plan::Cluster cluster = plan::make_single_host(1 + seed % 4, true, "cpu");
    const plan::StepPlan plan(cluster, arena, author.of([&](Planner& p) {
      random_plan(3 * seed, false)(p);
      p.from_step(2, [&] { random_plan(3 * seed + 1, false)(p); });
      p.from_step(12, [&] { random_plan(3 * seed + 2, false)(p); });
    }));
    EXPECT_EQ(first_mixed_update(plan.lowered()), "none") << "seed " << seed;
  }
}

TEST(StepPlan, OfInferenceHasNoAuthor) {
  const plan::Cluster cluster = plan::make_single_host(3, false, "cuda");
  const plan::ArenaMap arena = small_arena(0);
  const plan::StepPlan plan(cluster, arena);
  EXPECT_EQ(plan::plan_hash(plan.lowered()),
            plan::plan_hash(plan::lower(plan::make_forward_plan(cluster, arena))));
}

}  // namespace
}  // namespace convoy::testing
