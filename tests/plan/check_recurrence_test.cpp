// Plans whose state never repeats, and plans with kernels: right ones are proved, wrong ones are
// not, and what is said of gradients agrees with the sequential interpreter.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <map>

#include "core/plan/check.hpp"
#include "core/plan/lower.hpp"
#include "tests/plan/sample_gradients.hpp"
#include "tests/plan/sample_recurrences.hpp"
#include "tests/sanitized.hpp"

namespace convoy::testing {
namespace {

std::string text_of(const CheckReport& report) {
  std::string text = report.verdict_text();
  for (const Finding& finding : report.findings)
    text += fmt::format("\n  {}: {}", finding_name(finding.kind), finding.text);
  return text;
}

void expect_called(const SampleRecurrence& sample, const CheckReport& report) {
  EXPECT_EQ(report.verdict, sample.verdict) << text_of(report);
  EXPECT_EQ(report.nothing_lost, sample.nothing_lost) << text_of(report);
  EXPECT_NE(text_of(report).find(sample.text), std::string::npos) << text_of(report);
  for (const Finding& finding : report.findings)
    EXPECT_NE(finding.operation, CONVOY_NONE) << text_of(report);
}

void expect_all_called(const std::vector<SampleRecurrence>& samples) {
  const ArenaMap arena = ragged_arena();
  for (const std::uint32_t replicas : {2u, 3u, 4u})
    for (const SampleRecurrence& sample : samples) {
      if (replicas < sample.fewest_replicas) continue;
      SCOPED_TRACE(fmt::format("{}, {} replicas", sample.name, replicas));
      const Cluster cluster = make_single_host(replicas, true, "cpu");
      const Plan plan = write_plan(cluster, arena, sample.write);
      const CheckReport report = check_plan(plan);
      expect_called(sample, report);
      const Plan pieces = lower(plan, {.staging_elements = 32, .slice_elements = 8});
      EXPECT_EQ(check_plan(pieces).verdict_text(), report.verdict_text());
    }
}

TEST(CheckRecurrence, RightOnesAreProved) {
  expect_all_called(right_recurrences());
}

TEST(CheckRecurrence, WrongOnesAreNot) {
  expect_all_called(wrong_recurrences());
}

// Gradients for a few computes, then none: where nothing is lost, the parameters end as if every
// gradient had been applied once, as part of a mean.
TEST(CheckRecurrence, WhereNothingIsLostTheInterpreterFindsEverything) {
  constexpr std::uint64_t kWithGradients = 6;
  constexpr std::uint64_t kSteps = 240;
  const ArenaMap arena = small_arena(0);
  const std::uint32_t replicas = 3;
  const Cluster cluster = make_single_host(replicas, true, "cpu");
  for (const SampleRecurrence& sample : right_recurrences()) {
    if (!sample.nothing_lost) continue;
    const Plan plan = write_plan(cluster, arena, sample.write);
    std::vector<double> expected(arena.elements);
    InterpreterOptions options =
        sample_options(arena, [&](const GradientRequest& request, std::span<float> gradient) {
          std::fill(gradient.begin(), gradient.end(), 0.0f);
          if (request.step < kWithGradients) smooth_gradient(request, gradient);
          for (std::size_t i = 0; i < gradient.size(); ++i)
            expected[request.range.first + i] -= 0.125 * gradient[i] / replicas;
        });
    options.optimizer.kind = CONVOY_OPTIMIZER_SGD;
    options.decayed.clear();
    options.learning_rate = [](std::uint64_t) { return 0.125; };
    options.kernel = sample_kernel;
    for (std::size_t e = 0; e < expected.size(); ++e) expected[e] = options.initial[e];
    // Coarse kernels keep less than a unit; half precision keeps next to nothing.
    const double left = 0.125 * 0.125 + 1e-3;
    Interpreter interpreter(plan, options);
    interpreter.run(kSteps);
    for (std::uint32_t b = 0; b < plan.buffers.size(); ++b) {
      if (plan.buffers[b].kind != CONVOY_BUFFER_PARAMETERS) continue;
      for (std::size_t e = 0; e < expected.size(); ++e)
        ASSERT_NEAR(interpreter.values(b)[e], expected[e], left)
            << sample.name << ", " << plan.buffer_name(b) << ", element " << e;
    }
  }
}

TEST(CheckRecurrence, TheOneWhoseSumsUsedToBeTakenApartAgainAndAgainTakesNoTime) {
  for (const SampleRecurrence& sample : right_recurrences()) {
    if (sample.name != "elastic") continue;
    const ArenaMap arena = small_arena(0);
    const Cluster cluster = make_single_host(3, true, "cpu");
    const Plan plan = write_plan(cluster, arena, sample.write);
    const auto start = std::chrono::steady_clock::now();
    const CheckReport report = check_plan(plan);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    EXPECT_EQ(report.verdict_text(),
              "approximate (every gradient counts 0.75 times in the end, all replicas alike, first "
              "after 2 steps)");
    EXPECT_LT(took.count(), kSanitized ? 10 : 1);
  }
}

// A million operations: proved, or left open with the place where the time went.
TEST(CheckBudget, AMillionOperationsTakeSecondsWhateverTheyAre) {
  constexpr std::uint64_t kOperations = 1'000'000;
  if (std::getenv("CONVOY_LONG_TESTS") == nullptr) GTEST_SKIP() << "set CONVOY_LONG_TESTS=1";
  const ArenaMap arena = small_arena(0);
  const Cluster cluster = make_single_host(2, true, "cpu");
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
    const Plan plan = write_plan(cluster, arena, [&](Planner& p) {
      const Buffer b = p.persistent(PlaceId(0), 2 * p.arena_elements());
      const Buffer half{b.id, b.dtype, p.arena_elements()};
      p.compute();
      for (std::uint64_t i = 0; i < kOperations; ++i) write(p, half, i);
      for (const auto r : p.replicas()) p.apply(p.parameters(r), half, {.contributions = 1});
    });
    const auto start = std::chrono::steady_clock::now();
    const CheckReport report = check_plan(plan);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    std::cout << fmt::format("{}: {:.1f} s, {}\n", name, took.count(), text_of(report));
    EXPECT_LT(took.count(), 10) << name;
  }
}

}  // namespace
}  // namespace convoy::testing
