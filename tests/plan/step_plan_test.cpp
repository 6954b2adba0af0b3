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
  PlanAuthor of(const WritePlan& write) {
    return {"sample", [this, write](const convoy_planner& table) {
              ++writings;
              Planner planner(&table, &kHost, nullptr);
              write(planner);
            }};
  }
  int writings = 0;
};

GuardOptions clipped() {
  GuardOptions guard;
  guard.clip_norm = 1;
  return guard;
}

TEST(StepPlan, IsWhatItsPartsGiveInTheirOrder) {
  Author author;
  const ArenaMap arena = small_arena(40);
  Cluster cluster = make_single_host(2, true, "cpu");
  for (const bool joins : {true, false})
    for (const GuardOptions& guards : {GuardOptions{}, clipped()}) {
      cluster.joins_updates = joins;
      const StepPlan plan(cluster, arena, author.of(write_parameter_server), {.guard = guards});
      const Plan logical = write_plan(cluster, arena, write_parameter_server);
      const Plan guarded = guard(logical, check_plan(logical), guards);
      const Plan lowered =
          lower(joins ? fuse_updates(guarded, *guarded.cluster, false).value_or(guarded) : guarded);
      EXPECT_EQ(plan_hash(plan.logical()), plan_hash(logical));
      EXPECT_EQ(plan_hash(plan.lowered()), plan_hash(lowered));
      EXPECT_EQ(plan.schedule().submission, make_schedule(lowered).submission);
      EXPECT_EQ(plan.check().verdict_text(), check_plan(logical).verdict_text());
      EXPECT_EQ(plan.hash().size(), 16u);
    }
}

TEST(StepPlan, TellsApartWhatRunsDifferently) {
  Author author;
  Cluster cluster = make_single_host(2, true, "cpu");
  const auto hash = [&](std::uint64_t bucket, const GuardOptions& guards) {
    return StepPlan(cluster, small_arena(bucket), author.of(write_parameter_server),
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
  const Cluster cluster = make_single_host(2, true, "cpu");
  const StepPlan twice(cluster, small_arena(40), author.of(write_parameter_server));
  EXPECT_EQ(author.writings, 2);
  const StepPlan once(cluster, small_arena(40), author.of(write_parameter_server),
                      {.written_twice = false});
  EXPECT_EQ(author.writings, 3);
  EXPECT_EQ(once.hash(), twice.hash());
}

TEST(StepPlan, IsWrittenAgainLater) {
  Author author;
  const Cluster cluster = make_single_host(2, true, "cpu");
  const StepPlan once(cluster, small_arena(40), author.of(write_parameter_server),
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
  const Cluster near = make_single_host(3, true, "cpu");
  const Cluster apart = make_single_host(3, false, "cpu");
  const PlanAuthor writes_the_same = author.of(write_parameter_server);
  const StepPlan plan(near, small_arena(40), writes_the_same);
  ASSERT_TRUE(plan.is_also_written_for(apart, writes_the_same));
  EXPECT_EQ(author.writings, 3);
  const StepPlan shared(plan, apart);
  EXPECT_EQ(&shared.logical(), &plan.logical());
  EXPECT_EQ(shared.lowered().cluster, &apart);
  EXPECT_EQ(shared.hash(), StepPlan(apart, small_arena(40), writes_the_same).hash());
  EXPECT_NE(shared.hash(), plan.hash());
}

TEST(StepPlan, IsNotSharedWhereAnotherOneIsWrittenOrMemoryIsElsewhere) {
  Author author;
  const Cluster near = make_single_host(3, true, "cpu");
  const PlanAuthor writes_by_routes = author.of([](Planner& p) {
    write_parameter_server(p);
    const bool peers = p.route(PlaceId(0), PlaceId(1)).peer_access;
    p.fill(p.scratch(PlaceId(0), 1), peers ? 1 : 2);
  });
  const StepPlan by_routes(near, small_arena(40), writes_by_routes);
  EXPECT_FALSE(by_routes.is_also_written_for(make_single_host(3, false, "cpu"), writes_by_routes));
  const PlanAuthor writes_the_same = author.of(write_parameter_server);
  const StepPlan plan(near, small_arena(40), writes_the_same);
  EXPECT_FALSE(plan.is_also_written_for(make_single_host(4, true, "cpu"), writes_the_same));
  EXPECT_FALSE(plan.is_also_written_for(make_single_host(3, true, "cuda"), writes_the_same));
  const StepPlan guarded(near, small_arena(40), writes_the_same, {.guard = clipped()});
  EXPECT_FALSE(guarded.is_also_written_for(make_single_host(3, false, "cpu"), writes_the_same));
}

// What cannot be guarded is refused with the words of the proof it was given.
TEST(StepPlan, TakesAProofInsteadOfMakingIt) {
  Author author;
  const Cluster cluster = make_single_host(2, true, "cpu");
  GuardOptions guards;
  guards.automatic_loss_scale = true;
  StepPlan plan(cluster, small_arena(40), author.of(write_parameter_server), {.guard = guards});
  CheckReport report;
  report.verdict = report.exact = Verdict::kAsynchronous;
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

std::size_t updates_in(const std::vector<Operation>& section) {
  return static_cast<std::size_t>(
      std::ranges::count(section, OperationKind::kApply, &Operation::kind));
}

// Devices get one number per update, and Adam corrects the moments of all its elements by that.
TEST(StepPlan, CutsUpdatesOfWhatEarlierStagesUpdatedMoreOrLessOften) {
  const ArenaMap arena = small_arena(40);
  Cluster cluster = make_single_host(2, true, "cpu");
  const Range part{16, 32};
  Author author;
  for (const bool joins : {true, false}) {
    cluster.joins_updates = joins;
    const StepPlan plan(cluster, arena, author.of([&](Planner& p) {
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
  const ArenaMap arena = small_arena(32);
  for (std::uint32_t seed = 0; seed < 100; ++seed) {
    const Cluster cluster = make_single_host(1 + seed % 4, true, "cpu");
    const StepPlan plan(cluster, arena, author.of([&](Planner& p) {
      random_plan(3 * seed, false)(p);
      p.from_step(2, [&] { random_plan(3 * seed + 1, false)(p); });
      p.from_step(12, [&] { random_plan(3 * seed + 2, false)(p); });
    }));
    EXPECT_EQ(first_mixed_update(plan.lowered()), "none") << "seed " << seed;
  }
}

TEST(StepPlan, OfInferenceHasNoAuthor) {
  const Cluster cluster = make_single_host(3, false, "cuda");
  const ArenaMap arena = small_arena(0);
  const StepPlan plan(cluster, arena);
  EXPECT_EQ(plan_hash(plan.lowered()), plan_hash(lower(make_forward_plan(cluster, arena))));
}

}  // namespace
}  // namespace convoy::testing
