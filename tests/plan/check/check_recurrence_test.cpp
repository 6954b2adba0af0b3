// Plans whose state never repeats, and plans with kernels: right ones are proved, wrong ones are
// not, and what is said of gradients agrees with the sequential interpreter.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <ctime>
#include <iostream>
#include <map>
#include <set>

#include "core/plan/check/check.hpp"
#include "core/plan/check/recurrence/recurrence.hpp"
#include "core/plan/lower/lower.hpp"
#include "tests/plan/check/mutation_oracle.hpp"
#include "tests/plan/check/sample_bases.hpp"
#include "tests/plan/check/sample_compression.hpp"
#include "tests/plan/check/sample_detours.hpp"
#include "tests/plan/check/sample_held_out.hpp"
#include "tests/plan/check/sample_moments.hpp"
#include "tests/plan/check/sample_recurrences.hpp"
#include "tests/plan/check/sample_rests.hpp"
#include "tests/sanitized.hpp"

namespace convoy::testing {
namespace {

std::string text_of(const plan::check::CheckReport& report) {
  std::string text = report.verdict_text();
  for (const plan::check::Finding& finding : report.findings)
    text += fmt::format("\n  {}: {}", plan::check::finding_name(finding.kind), finding.text);
  return text;
}

void expect_called(const SampleRecurrence& sample, const plan::check::CheckReport& report) {
  EXPECT_EQ(report.verdict, sample.verdict) << text_of(report);
  EXPECT_EQ(report.nothing_lost, sample.nothing_lost) << text_of(report);
  EXPECT_NE(text_of(report).find(sample.text), std::string::npos) << text_of(report);
  for (const plan::check::Finding& finding : report.findings)
    EXPECT_NE(finding.operation, CONVOY_NONE) << text_of(report);
}

// What a verdict other than "wrong" assumes of kernels is told.
void expect_kernels_named(const plan::Plan& plan, const plan::check::CheckReport& report) {
  std::set<std::string> called;
  for (const plan::Operation& operation : plan.body)
    if (operation.kind == plan::OperationKind::kCall) called.insert(operation.details->kernel);
  if (report.verdict != plan::check::Verdict::kApproximate) return;
  EXPECT_EQ(std::set<std::string>(report.kernels.begin(), report.kernels.end()), called);
}

void expect_all_called(const std::vector<SampleRecurrence>& samples) {
  const plan::ArenaMap arena = ragged_arena();
  for (const std::uint32_t replicas : {2u, 3u, 4u})
    for (const SampleRecurrence& sample : samples) {
      if (replicas < sample.fewest_replicas) continue;
      SCOPED_TRACE(fmt::format("{}, {} replicas", sample.name, replicas));
      const plan::Cluster cluster = plan::make_single_host(replicas, true, "cpu");
      const plan::Plan plan = write_plan(cluster, arena, sample.write);
      const plan::check::CheckReport report = plan::check::check_plan(plan);
      expect_called(sample, report);
      expect_kernels_named(plan, report);
      const plan::Plan pieces = plan::lower(plan, {.staging_elements = 32, .slice_elements = 8});
      EXPECT_EQ(plan::check::check_plan(pieces).verdict_text(), report.verdict_text());
    }
}

TEST(CheckRecurrence, RightOnesAreProved) {
  expect_all_called(right_recurrences());
}

TEST(CheckRecurrence, WrongOnesAreNot) {
  expect_all_called(wrong_recurrences());
}

TEST(CheckCompression, RightOnesAreProved) {
  expect_all_called(right_compressions());
}

TEST(CheckCompression, WrongOnesAreNot) {
  expect_all_called(wrong_compressions());
}

TEST(CheckDetours, AreLeftOpenOnlyWhereTheyMayBeMeant) {
  expect_all_called(detours());
}

TEST(CheckRests, RightOnesAreProved) {
  expect_all_called(right_rests());
}

TEST(CheckRests, WrongOnesAreNot) {
  expect_all_called(wrong_rests());
}

TEST(CheckBases, RightOnesAreProved) {
  expect_all_called(right_bases());
}

TEST(CheckBases, WrongOnesAreNot) {
  expect_all_called(wrong_bases());
}

TEST(CheckMoments, RightOnesAreProved) {
  expect_all_called(right_moments());
}

TEST(CheckMoments, WrongOnesAreNot) {
  expect_all_called(wrong_moments());
}

TEST(CheckHeldOut, RightOnesAreProved) {
  expect_all_called(right_held_out());
}

TEST(CheckHeldOut, WrongOnesAreNot) {
  expect_all_called(wrong_held_out());
}

plan::check::CheckReport report_on_many(const std::string& name, std::uint32_t replicas,
                                        const std::vector<SampleRecurrence>& samples) {
  for (const SampleRecurrence& sample : samples) {
    if (sample.name != name) continue;
    const plan::Cluster cluster = plan::make_single_host(replicas, true, "cpu");
    const plan::ArenaMap arena = ragged_arena();
    return plan::check::check_plan(write_plan(cluster, arena, sample.write));
  }
  ADD_FAILURE() << "there is no " << name;
  return {};
}

TEST(CheckRecurrence, MomentumOfEachWorkerKeepsAnAsynchronousClaim) {
  const plan::check::CheckReport report =
      report_on_many("momentum of each worker, in any order", 3, right_held_out());
  EXPECT_TRUE(plan::check::satisfies(report, "asynchronous")) << text_of(report);
  EXPECT_FALSE(plan::check::satisfies(report, "synchronous")) << text_of(report);
}

// Sums over replicas round in numbers; what is exact decides.
TEST(CheckRecurrence, AveragedMomentumIsRightForAnyNumberOfReplicas) {
  for (const std::uint32_t replicas : {5u, 6u, 7u, 8u, 12u})
    for (const char* const name :
         {"local momentum, averaged", "local momentum that fades quickly"}) {
      const plan::check::CheckReport report = report_on_many(name, replicas, right_recurrences());
      EXPECT_EQ(report.verdict, plan::check::Verdict::kApproximate) << name << text_of(report);
    }
}

// Contents that a run reaches from its start are many sums of neighbours, nearly alike.
TEST(CheckRecurrence, TrackedGradientsAreRightForAnyNumberOfReplicas) {
  for (const std::uint32_t replicas : {5u, 8u, 12u}) {
    const plan::check::CheckReport report =
        report_on_many("gradient tracking", replicas, right_held_out());
    EXPECT_TRUE(report.nothing_lost) << replicas << text_of(report);
  }
}

// What one replica learns goes around a ring, a neighbour per step.
TEST(CheckRecurrence, GradientsMayTakeManyStepsToReachReplicasFarOff) {
  const plan::check::CheckReport right =
      report_on_many("gossip with both", 24, right_recurrences());
  EXPECT_EQ(right.verdict, plan::check::Verdict::kApproximate) << text_of(right);
  EXPECT_NE(right.verdict_text().find("first after 12 steps"), std::string::npos) << text_of(right);
  const plan::check::CheckReport wrong =
      report_on_many("gossip that drops a replica", 24, wrong_recurrences());
  EXPECT_EQ(wrong.verdict, plan::check::Verdict::kWrong) << text_of(wrong);
}

// More replicas than fit into matrices: what only averages is judged as chains of Markov are.
TEST(CheckRecurrence, HundredsOfReplicasMayAverage) {
  constexpr std::uint32_t kMany = kSanitized ? 260 : 300;
  const plan::check::CheckReport ring =
      report_on_many("gossip with both", kMany, right_recurrences());
  EXPECT_TRUE(ring.nothing_lost) << text_of(ring);
  EXPECT_NE(ring.verdict_text().find(fmt::format("first after {} steps", kMany / 2)),
            std::string::npos)
      << text_of(ring);
  const plan::check::CheckReport mean = report_on_many("local steps", kMany, right_recurrences());
  EXPECT_TRUE(mean.nothing_lost) << text_of(mean);
  const plan::check::CheckReport dropped =
      report_on_many("gossip that drops a replica", kMany, wrong_recurrences());
  EXPECT_NE(dropped.verdict, plan::check::Verdict::kApproximate) << text_of(dropped);
  const plan::check::CheckReport uneven =
      report_on_many("uneven average", kMany, wrong_recurrences());
  EXPECT_EQ(uneven.verdict, plan::check::Verdict::kWrong) << text_of(uneven);
}

// What a replica keeps of its own is emptied by the next step, so that the parameters, which all of
// them have in common, are all that is left to judge.
TEST(CheckRecurrence, HundredsOfReplicasMayKeepWhatTheyDoNotSend) {
  constexpr std::uint32_t kMany = 260;
  for (const char* const name : {"error feedback by casts", "error feedback, declared"}) {
    const plan::check::CheckReport right = report_on_many(name, kMany, right_recurrences());
    EXPECT_TRUE(right.nothing_lost) << name << text_of(right);
  }
  const plan::check::CheckReport messages =
      report_on_many("top_k with feedback", kMany, right_compressions());
  EXPECT_TRUE(messages.nothing_lost) << text_of(messages);
  const plan::check::CheckReport halved =
      report_on_many("error feedback, halved", kMany, wrong_recurrences());
  EXPECT_EQ(halved.verdict, plan::check::Verdict::kWrong) << text_of(halved);
  // Residuals that remember are too many for matrices.
  const plan::check::CheckReport grows =
      report_on_many("residual not reduced", kMany, wrong_recurrences());
  EXPECT_NE(grows.verdict, plan::check::Verdict::kApproximate) << text_of(grows);
}

// Matrices and chains say the same where both can be had.
TEST(CheckRecurrence, DozensOfReplicasAreJudgedAsAFewAre) {
  for (const std::uint32_t replicas : {30u, 33u}) {
    SCOPED_TRACE(replicas);
    for (const char* const name : {"gossip", "gossip with both", "local steps", "late averaging"})
      EXPECT_TRUE(report_on_many(name, replicas, right_recurrences()).nothing_lost) << name;
    const plan::check::CheckReport elastic =
        report_on_many("elastic, gently", replicas, right_held_out());
    const std::string counts = fmt::format("{:.4g} times", 1 - 1.0 / (replicas + 1));
    EXPECT_NE(elastic.verdict_text().find(counts), std::string::npos) << text_of(elastic);
  }
}

TEST(CheckRecurrence, TheInterpreterFindsEveryGradientAsOftenAsIsSaid) {
  const plan::ArenaMap arena = small_arena(0);
  const plan::Cluster cluster = plan::make_single_host(3, true, "cpu");
  std::vector<SampleRecurrence> samples = right_recurrences();
  for (const auto& more : {right_compressions(), right_held_out()})
    samples.insert(samples.end(), more.begin(), more.end());
  for (const SampleRecurrence& sample : samples) {
    const plan::Plan plan = write_plan(cluster, arena, sample.write);
    EXPECT_EQ(contradiction(plan, plan::check::check_plan(plan)).value_or(""), "") << sample.name;
  }
}

TEST(CheckRecurrence, TheOneWhoseSumsUsedToBeTakenApartAgainAndAgainTakesNoTime) {
  for (const SampleRecurrence& sample : right_recurrences()) {
    if (sample.name != "elastic") continue;
    const plan::ArenaMap arena = small_arena(0);
    const plan::Cluster cluster = plan::make_single_host(3, true, "cpu");
    const plan::Plan plan = write_plan(cluster, arena, sample.write);
    const auto start = std::chrono::steady_clock::now();
    const plan::check::CheckReport report = plan::check::check_plan(plan);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    EXPECT_EQ(report.verdict_text(),
              "approximate (every gradient counts 0.75 times in the end, all replicas alike, first "
              "after 2 steps)");
    EXPECT_LT(took.count(), kSanitized ? 10 : 1);
  }
}

// What is known to be wrong stays wrong if nothing is left for the search for an excuse.
TEST(CheckBudget, AWrongPlanStaysWrongWhenItEnds) {
  const plan::ArenaMap arena = small_arena(0);
  const plan::Cluster cluster = plan::make_single_host(3, true, "cpu");
  int looked_at = 0;
  for (const SampleRecurrence& sample : wrong_recurrences()) {
    if (sample.name != "momentum that begins anew, the last gradient doubled") continue;
    const plan::Plan plan = write_plan(cluster, arena, sample.write);
    plan::check::Budget ample;
    EXPECT_EQ(plan::check::judge_recurrence(plan, ample).verdict, plan::check::Verdict::kWrong);
    plan::check::Budget scarce;
    scarce.spend(plan::check::Budget::kMost + 1 - ample.spent(), CONVOY_NONE);
    EXPECT_EQ(plan::check::judge_recurrence(plan, scarce).verdict, plan::check::Verdict::kWrong);
    EXPECT_GT(scarce.spent(), plan::check::Budget::kMost);
    ++looked_at;
  }
  EXPECT_EQ(looked_at, 1);
}

// A million operations: proved, or left open with the place where the time went.
TEST(CheckBudget, AMillionOperationsTakeSecondsWhateverTheyAre) {
  constexpr std::uint64_t kOperations = 1'000'000;
  if (std::getenv("CONVOY_LONG_TESTS") == nullptr) GTEST_SKIP() << "set CONVOY_LONG_TESTS=1";
  const plan::ArenaMap arena = small_arena(0);
  const plan::Cluster cluster = plan::make_single_host(2, true, "cpu");
  const std::map<std::string, std::function<void(Planner&, Buffer, std::uint64_t)>> kinds = {
      {"copies of single elements",
       [](Planner& p, Buffer b, std::uint64_t i) {
         p.copy(b[{i % 137, 1}], p.gradient(ReplicaId(i % 2))[{i % 137, 1}]);
       }},
      {"a chain of additions",
       [](Planner& p, Buffer b, std::uint64_t) { p.add(b, b, p.gradient(ReplicaId(1))); }},
      {"a chain of kernels",
       [](Planner& p, Buffer b, std::uint64_t) { p.call("round", PlaceId(0), {b}, {b}); }},
      {"a chain of updates",
       [](Planner& p, Buffer, std::uint64_t) {
         p.apply(p.parameters(ReplicaId(0)), p.gradient(ReplicaId(0)));
       }},
      {"moves by one",
       [](Planner& p, Buffer b, std::uint64_t) {
         p.copy(b[{0, 100}], b[{100, 100}]);
       }},
  };
  for (const auto& [name, write] : kinds) {
    const plan::Plan plan = write_plan(cluster, arena, [&, &write = write](Planner& p) {
      const Buffer b = p.persistent(PlaceId(0), 2 * p.arena_elements());
      const Buffer half{b.id, b.dtype, p.arena_elements()};
      p.compute();
      for (std::uint64_t i = 0; i < kOperations; ++i) write(p, half, i);
      for (const auto r : p.replicas()) p.apply(p.parameters(r), half, {.contributions = 1});
    });
    const std::clock_t start = std::clock();
    const plan::check::CheckReport report = plan::check::check_plan(plan);
    const double took = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    std::cout << fmt::format("{}: {:.1f} s, {}\n", name, took, text_of(report));
    EXPECT_LT(took, 10) << name;
  }
}

// Every element is made of its neighbour, so that all would be judged one by one.
TEST(CheckRecurrence, ElementsThatDependOnTheirNeighboursSpendTheBudgetSoon) {
  const plan::ArenaMap arena = large_arena(4'000'000, 10, 1);
  const plan::Cluster cluster = plan::make_single_host(1, true, "cpu");
  const plan::Plan plan = write_plan(cluster, arena, [](Planner& p) {
    const Buffer center = p.persistent(PlaceId(0), p.arena_elements());
    p.name(center, "center");
    const Buffer pulled = p.scratch(PlaceId(0), p.arena_elements());
    const Buffer weights = p.parameters(ReplicaId(0));
    const std::uint64_t count = p.arena_elements() - 1;
    p.prologue([&] { p.copy(center, weights); });
    p.compute();
    p.apply(weights, p.gradient(ReplicaId(0)), {.contributions = 1});
    p.axpy(pulled[{0, count}], -1, center[{1, count}], weights[{0, count}]);
    p.axpy(pulled[{count, 1}], -1, center[{0, 1}], weights[{count, 1}]);
    p.scale(pulled, pulled, 0.4);
    p.axpy(weights, -1, pulled, weights);
    p.add(center, center, pulled);
  });
  const std::clock_t start = std::clock();
  const plan::check::CheckReport report = plan::check::check_plan(plan);
  const double took = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  EXPECT_EQ(report.verdict, plan::check::Verdict::kUnproved) << text_of(report);
  EXPECT_LT(took, kSanitized ? 100 : 10) << text_of(report);
  EXPECT_NE(text_of(report).find(" holds depends on other elements of it from the step before"),
            std::string::npos)
      << text_of(report);
  EXPECT_EQ(text_of(report).find("buckets"), std::string::npos) << text_of(report);
}

}  // namespace
}  // namespace convoy::testing
