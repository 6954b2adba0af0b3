#include "core/plan/check/check.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <iostream>

#include "core/base/error.hpp"
#include "core/plan/lower/lower.hpp"
#include "tests/plan/sample_plans.hpp"
#include "tests/sanitized.hpp"

namespace convoy::testing::check_test {
namespace {

constexpr plan::LoweringOptions kSmallPieces{.staging_elements = 8, .slice_elements = 4};

std::string findings(const plan::check::CheckReport& report) {
  std::string text = report.verdict_text();
  for (const plan::check::Finding& finding : report.findings)
    text += fmt::format("\n  {}: {}", plan::check::finding_name(finding.kind), finding.text);
  return text;
}

std::string expected_verdict(const SamplePlan& sample, std::uint32_t replicas) {
  if (sample.synchronous) return "synchronous";
  if (sample.name == "staged") return "stale by 2 (gradient lag 1, parameter lag 1)";
  if (sample.name == "deferred") return "stale by 1 (gradient lag 1, parameter lag 0)";
  if (sample.name == "accumulating" || sample.name == "by_replica")
    return "synchronous every 2 steps";
  if (sample.name == "asynchronous") return "asynchronous";
  if (sample.name == "compressed")
    return "approximate (synchronous but for rounding, kernels or averages)";
  if (replicas == 1) return "synchronous";
  if (sample.name == "in_turns") return "asynchronous in a fixed order";
  if (sample.name == "sequential") return fmt::format("{} applies per step", replicas);
  return sample.name;
}

TEST(Check, GivesEverySampleItsVerdictLogicalAndLoweredWithAndWithoutPeerAccess) {
  for (const std::uint32_t replicas : {1u, 2u, 3u, 4u, 5u, 8u}) {
    if (kSanitized && replicas > 3) break;
    for (const bool peer_access : {true, false})
      for (const plan::ArenaMap& arena : {small_arena(0), small_arena(16), ragged_arena()}) {
        const plan::Cluster cluster = plan::make_single_host(replicas, peer_access, "cpu");
        for (const SamplePlan& sample : sample_plans()) {
          const plan::Plan plan = write_plan(cluster, arena, sample.write);
          const plan::check::CheckReport logical = plan::check::check_plan(plan);
          EXPECT_EQ(logical.verdict_text(), expected_verdict(sample, replicas))
              << sample.name << ", " << replicas << " replicas: " << findings(logical);
          const plan::check::CheckReport lowered =
              plan::check::check_plan(plan::lower(plan, kSmallPieces));
          EXPECT_EQ(lowered.verdict_text(), logical.verdict_text())
              << sample.name << " lowered, " << replicas << " replicas, peer access " << peer_access
              << ": " << findings(lowered);
        }
      }
  }
}

// The server takes what `change` makes of every worker's gradient, in any order.
WritePlan asynchronous_with(const std::function<Span(Planner& p, ReplicaId r)>& change) {
  return [change](Planner& p) {
    const PlaceId server = p.host_place(ReplicaId(0));
    const Buffer master = p.master(server);
    for (const auto r : p.replicas()) {
      p.copy(p.parameters(r), master, {.relaxed = true});
      p.compute_replica(r);
      const Buffer pushed = p.scratch(server, p.arena_elements());
      p.copy(pushed, change(p, r));
      p.apply(master, pushed, {.contributions = 1, .any_order = true});
    }
  };
}

TEST(Check, AWorkerAloneMayHaveAMomentumOrAResidualAsEveryWorkerMay) {
  const WritePlan momentum = asynchronous_with([](Planner& p, ReplicaId r) {
    const Buffer velocity = p.persistent(p.replica_place(r), p.arena_elements());
    p.axpy(velocity, 0.5, velocity, p.gradient(r));
    return velocity;
  });
  const WritePlan residual = asynchronous_with([](Planner& p, ReplicaId r) {
    const PlaceId here = p.replica_place(r);
    const Buffer rest = p.persistent(here, p.arena_elements());
    const Buffer half = p.scratch(here, p.arena_elements(), Dtype::kBf16);
    const Buffer sent = p.scratch(here, p.arena_elements());
    p.add(rest, rest, p.gradient(r));
    p.cast(half, rest);
    p.cast(sent, half);
    p.axpy(rest, -1, sent, rest);
    return sent;
  });
  for (const std::uint32_t workers : {1u, 2u}) {
    const plan::Cluster cluster = plan::make_single_host(workers, true, "cpu");
    const auto verdict = [&](const WritePlan& write) {
      return plan::check::check_plan(write_plan(cluster, small_arena(0), write)).verdict;
    };
    EXPECT_EQ(verdict(momentum), plan::check::Verdict::kAsynchronous) << workers;
    EXPECT_EQ(verdict(residual), plan::check::Verdict::kAsynchronous) << workers;
  }
}

TEST(Check, TellsPlansThatUpdateParametersWithoutAnApply) {
  const plan::ArenaMap arena = small_arena(0);
  const plan::Cluster cluster = plan::make_single_host(2, true, "cpu");
  const auto by_itself = [&](const WritePlan& write) {
    return plan::check::check_plan(write_plan(cluster, arena, write)).updates_by_itself;
  };
  EXPECT_FALSE(by_itself(write_replicated(Algorithm::kRing)));
  EXPECT_TRUE(by_itself([](Planner& p) {
    p.compute();
    p.all_reduce(p.all_gradients(p.arena()));
    for (const auto r : p.replicas()) p.axpy(p.parameters(r), -0.5, p.gradient(r), p.parameters(r));
  }));
}

TEST(Check, ParametersAveragedInsteadOfGradientsAreApproximate) {
  const plan::ArenaMap arena = small_arena(0);
  const plan::Cluster cluster = plan::make_single_host(3, true, "cpu");
  const plan::check::CheckReport report =
      plan::check::check_plan(write_plan(cluster, arena, [](Planner& p) {
        p.compute();
        for (const auto r : p.replicas())
          p.apply(p.parameters(r), p.gradient(r), {.contributions = 1});
        p.all_reduce(p.all_parameters(p.arena()));
        for (const auto r : p.replicas()) p.scale(p.parameters(r), p.parameters(r), 1.0 / 3);
      }));
  EXPECT_EQ(report.verdict, plan::check::Verdict::kApproximate) << findings(report);
}

TEST(Check, KernelsOfThePluginMakeAPlanApproximateOrShowWhatIsMissing) {
  const plan::ArenaMap arena = small_arena(0);
  const plan::Cluster cluster = plan::make_single_host(2, true, "cpu");
  for (const bool complete : {true, false}) {
    const plan::check::CheckReport report =
        plan::check::check_plan(write_plan(cluster, arena, [&](Planner& p) {
          p.compute();
          const Buffer total = p.scratch(p.host_place(ReplicaId(0)), p.arena_elements());
          std::vector<Span> from{p.gradient(ReplicaId(0))};
          if (complete) from.push_back(p.gradient(ReplicaId(1)));
          p.call("compress", p.host_place(ReplicaId(0)), from, {total});
          for (const auto r : p.replicas()) p.apply(p.parameters(r), total);
        }));
    EXPECT_EQ(report.verdict,
              complete ? plan::check::Verdict::kApproximate : plan::check::Verdict::kWrong)
        << findings(report);
  }
}

TEST(Check, AStateThatRepeatsLateIsARecurrence) {
  const plan::ArenaMap arena = small_arena(0);
  const plan::Cluster cluster = plan::make_single_host(2, true, "cpu");
  const plan::check::CheckReport report =
      plan::check::check_plan(write_plan(cluster, arena, [](Planner& p) {
        // A pipeline of gradients that is longer than anything the checker waits for.
        std::vector<Buffer> pipeline;
        pipeline.reserve(12);
        for (int i = 0; i < 12; ++i)
          pipeline.push_back(p.persistent(PlaceId(0), p.arena_elements()));
        p.compute();
        p.all_reduce(p.all_gradients(p.arena()));
        for (const auto r : p.replicas()) p.apply(p.parameters(r), pipeline.back());
        for (std::size_t i = pipeline.size(); --i > 0;) p.copy(pipeline[i], pipeline[i - 1]);
        p.copy(pipeline.front(), p.gradient(ReplicaId(0)));
      }));
  EXPECT_EQ(report.verdict_text(),
            "approximate (every gradient counts once in the end, nothing is lost, first after 13 "
            "steps)")
      << findings(report);
}

TEST(Check, AMovingAverageThatNothingReadsDoesNotMatter) {
  const plan::ArenaMap arena = small_arena(0);
  const plan::Cluster cluster = plan::make_single_host(2, true, "cpu");
  const plan::check::CheckReport report =
      plan::check::check_plan(write_plan(cluster, arena, [](Planner& p) {
        const Buffer average = p.persistent(PlaceId(0), p.arena_elements());
        write_replicated(Algorithm::kDevice)(p);
        p.scale(average, average, 0.9);
        p.axpy(average, 0.1, p.parameters(ReplicaId(0)), average);
      }));
  EXPECT_EQ(report.verdict, plan::check::Verdict::kSynchronous) << findings(report);
}

TEST(Check, DifferentLagsOfDifferentRangesAreStaleButNotUniform) {
  const plan::ArenaMap arena = small_arena(0);
  const plan::Cluster cluster = plan::make_single_host(2, true, "cpu");
  const plan::check::CheckReport report =
      plan::check::check_plan(write_plan(cluster, arena, [](Planner& p) {
        const Range now{0, 72}, later{72, 65};
        p.compute();
        p.all_reduce(p.all_gradients(p.arena()));
        for (const auto r : p.replicas()) {
          const Buffer waiting = p.persistent(p.replica_place(r), later.count);
          p.apply(p.parameters(r)[now], p.gradient(r)[now]);
          p.apply(p.parameters(r)[later], waiting);
          p.copy(waiting, p.gradient(r)[later]);
        }
      }));
  EXPECT_EQ(report.verdict, plan::check::Verdict::kStale) << findings(report);
  EXPECT_FALSE(report.uniform);
  EXPECT_EQ(report.verdict_text(), "stale by up to 1 (gradient lag 1, parameter lag 0)");
}

// No read is relaxed and no order is free, but what a replica reads has some gradients of a step.
TEST(Check, ReplicasThatComputeInTurnsAreAsynchronousInAFixedOrder) {
  const plan::ArenaMap arena = small_arena(0);
  const plan::Cluster cluster = plan::make_single_host(3, true, "cpu");
  const plan::check::CheckReport report =
      plan::check::check_plan(write_plan(cluster, arena, [](Planner& p) {
        for (const auto computed : p.replicas()) {
          p.compute_replica(computed);
          const Buffer sent = p.scratch(p.replica_place(computed), p.arena_elements());
          p.copy(sent, p.gradient(computed));
          for (const auto r : p.replicas()) p.apply(p.parameters(r), sent, {.contributions = 1});
        }
      }));
  EXPECT_EQ(report.verdict_text(), "asynchronous in a fixed order") << findings(report);
  EXPECT_TRUE(plan::check::satisfies(report, "asynchronous"));
  EXPECT_FALSE(plan::check::satisfies(report, "synchronous"));
}

TEST(Claims, AStricterPlanKeepsALaxerClaim) {
  plan::check::CheckReport report;
  report.replicas = 2;
  report.verdict = plan::check::Verdict::kSynchronous;
  for (const char* claim : {"", "synchronous", "stale", "accumulating", "sequential",
                            "asynchronous", "approximate", "stale|synchronous"})
    EXPECT_TRUE(plan::check::satisfies(report, claim)) << claim;
  EXPECT_FALSE(plan::check::satisfies(report, "independent"));
  report.verdict = plan::check::Verdict::kStale;
  EXPECT_FALSE(plan::check::satisfies(report, "synchronous"));
  EXPECT_TRUE(plan::check::satisfies(report, "synchronous|stale"));
  EXPECT_TRUE(plan::check::satisfies(report, "asynchronous"));
  report.verdict = plan::check::Verdict::kApproximate;
  EXPECT_FALSE(plan::check::satisfies(report, "synchronous|stale"));
  report.verdict = plan::check::Verdict::kWrong;
  for (const char* claim : {"", "synchronous", "approximate", "asynchronous"})
    EXPECT_FALSE(plan::check::satisfies(report, claim)) << claim;
  EXPECT_THROW(plan::check::satisfies(report, "perfect"), Error);
}

// A loaded machine is slower than an idle one, instrumented code much slower still.
constexpr double kGenerousSeconds = kSanitized ? 100 : 10;

TEST(Check, ALargeModelOnEightReplicasTakesWellUnderASecond) {
  // The size of resnet152: 60 million elements, 467 variables.
  const plan::Cluster cluster = plan::make_single_host(8, true, "cpu");
  for (const std::uint32_t buckets : {60u, 467u}) {
    if (kSanitized && buckets > 60) break;
    const plan::ArenaMap arena = large_arena(60'194'857, 467, buckets);
    for (const SamplePlan& sample : sample_plans()) {
      const auto start = std::chrono::steady_clock::now();
      const plan::Plan plan = write_plan(cluster, arena, sample.write);
      const plan::check::CheckReport report = plan::check::check_plan(plan);
      const std::chrono::duration<double> checked = std::chrono::steady_clock::now() - start;
      const plan::Plan lowered = plan::lower(plan);
      const std::chrono::duration<double> all = std::chrono::steady_clock::now() - start;
      std::cout << fmt::format(
          "{:20} {} buckets: {:4.0f} ms to plan and check, {:4.0f} ms with "
          "lowering to {} operations\n",
          sample.name, buckets, 1e3 * checked.count(), 1e3 * all.count(), lowered.body.size());
      EXPECT_EQ(report.verdict_text(), expected_verdict(sample, 8)) << findings(report);
      EXPECT_LT(all.count(), kGenerousSeconds) << sample.name;
    }
  }
}

}  // namespace
}  // namespace convoy::testing::check_test
