#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <iostream>

#include "core/plan/stages.hpp"
#include "tests/plan/check/mutation_oracle.hpp"
#include "tests/plan/check/mutation_run.hpp"
#include "tests/plan/check/sample_bases.hpp"
#include "tests/plan/check/sample_compression.hpp"
#include "tests/plan/check/sample_held_out.hpp"
#include "tests/plan/check/sample_moments.hpp"
#include "tests/plan/check/sample_recurrences.hpp"
#include "tests/plan/check/sample_rests.hpp"
#include "tests/plan/check/sample_stages.hpp"
#include "tests/plan/sample_plans.hpp"
#include "tests/sanitized.hpp"

namespace convoy::testing::check_mutation_test {
namespace {

constexpr int kMutantsPerCase = kSanitized ? 2 : 10;

void expect_no_contradiction(const MutationRun& run) {
  std::cout << run.text();
  for (const std::string& it : run.contradictions()) ADD_FAILURE() << it;
  for (const auto& [kind, tally] : run.tallies()) EXPECT_GT(tally.named, 0) << mutation_name(kind);
}

TEST(CheckMutation, NoMutantIsCalledSynchronousOrStaleThatIsNot) {
  const auto start = std::chrono::steady_clock::now();
  MutationRun mutations;
  for (const std::uint32_t replicas : {1u, 2u, 3u, 4u})
    for (const plan::ArenaMap& arena : {small_arena(0), small_arena(64), ragged_arena()}) {
      const plan::Cluster cluster = plan::make_single_host(replicas, true, "cpu");
      for (const SamplePlan& sample : sample_plans())
        mutations.run(sample.name, write_plan(cluster, arena, sample.write), kMutantsPerCase);
    }
  expect_no_contradiction(mutations);
  const MutationTally total = mutations.total();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  std::cout << fmt::format("{} mutants in {:.1f} s\n", total.mutants, took.count());
  EXPECT_GE(total.mutants, 1'000 * kMutantsPerCase);
  // A defect that shows only as an irregular whole has no operation to name; it must be rare.
  EXPECT_LT(total.unnamed * 20, total.named);
}

// The same for what the literature does, whose state never repeats: nothing that is lost may be
// called kept. CONVOY_MUTANTS says how many there are.
TEST(CheckMutation, NoMutantOfARecurrenceIsSaidToLoseNothingThatLosesSomething) {
  constexpr int kUsualMutants = kSanitized ? 200 : 2000;
  std::vector<SampleRecurrence> samples = right_recurrences();
  for (const auto& more :
       {right_bases(), right_compressions(), right_held_out(), right_moments(), right_rests()})
    samples.insert(samples.end(), more.begin(), more.end());
  const int count = wanted_mutants(kUsualMutants);
  const int each = count / static_cast<int>(3 * samples.size() * kMutationKinds) + 1;
  MutationRun mutations;
  const plan::ArenaMap arena = small_arena(0);
  for (const std::uint32_t replicas : {2u, 3u, 4u}) {
    const plan::Cluster cluster = plan::make_single_host(replicas, true, "cpu");
    for (const SampleRecurrence& sample : samples)
      if (replicas >= sample.fewest_replicas)
        mutations.run(sample.name, write_plan(cluster, arena, sample.write), each);
  }
  expect_no_contradiction(mutations);
  EXPECT_GT(mutations.total().mutants, count / 3);
}

// Training that changes: defects in any stage's body or prologue. CONVOY_MUTANTS as above.
TEST(CheckMutation, NoMutantOfStagesIsCalledRightThatTheInterpreterContradicts) {
  constexpr int kUsualMutants = kSanitized ? 100 : 600;
  const std::vector<SampleStages> samples = sample_stages();
  const int count = wanted_mutants(kUsualMutants);
  const int each = count / static_cast<int>(4 * samples.size() * kMutationKinds) + 1;
  MutationRun mutations;
  for (const std::uint32_t replicas : {2u, 3u}) {
    const plan::Cluster cluster = plan::make_single_host(replicas, true, "cpu");
    for (const plan::ArenaMap& arena : {small_arena(0), small_arena(64)})
      for (const SampleStages& sample : samples)
        mutations.run(sample.name, write_plan(cluster, arena, sample.write), each);
  }
  expect_no_contradiction(mutations);
  EXPECT_GT(mutations.total().mutants, count / 2);
}

// Where the last pull of a step comes after the next forward has begun, the parameters at the
// step's end are not those that a forward reads.
TEST(CheckMutation, CountsAreTakenWhereAPeriodEnds) {
  const plan::Cluster cluster = plan::make_single_host(2, true, "cpu");
  const plan::ArenaMap arena = small_arena(0);
  const std::vector<SampleRecurrence> samples = right_held_out();
  const auto sample =
      std::ranges::find(samples, "pulled back in every step", &SampleRecurrence::name);
  ASSERT_NE(sample, samples.end());
  plan::Plan plan = write_plan(cluster, arena, sample->write);
  const auto next = [&](auto from, plan::OperationKind kind) {
    return std::find_if(from, plan.body.end(), [&](const auto& it) { return it.kind == kind; });
  };
  const auto first_pull = next(plan.body.begin(), plan::OperationKind::kAxpy);
  const auto last_pull = next(first_pull + 1, plan::OperationKind::kAxpy);
  const auto forward = next(last_pull, plan::OperationKind::kForward);
  ASSERT_NE(forward, plan.body.end());
  std::iter_swap(last_pull, forward);
  plan::number_operations(plan.prologue, plan.body, 2, 0);
  const plan::check::CheckReport report = plan::check::check_plan(plan);
  EXPECT_EQ(report.least, 0.125) << report.verdict_text();
  EXPECT_EQ(contradiction(plan, report).value_or(""), "");
}

// An effect on the numbers must be noticed: what the checker leaves at the original verdict with
// a recurrence was compared above; here unmutated plans of every kind.
TEST(CheckMutation, UnmutatedPlansFollowTheRecurrenceThatTheReportNames) {
  for (const std::uint32_t replicas : {1u, 2u, 3u, 5u}) {
    const plan::ArenaMap arena = ragged_arena();
    const plan::Cluster cluster = plan::make_single_host(replicas, true, "cpu");
    for (const SamplePlan& sample : sample_plans()) {
      const plan::Plan plan = write_plan(cluster, arena, sample.write);
      const plan::check::CheckReport report = plan::check::check_plan(plan);
      EXPECT_EQ(contradiction(plan, report).value_or(""), "")
          << sample.name << ", " << replicas << " replicas: " << report.verdict_text();
    }
  }
}

}  // namespace
}  // namespace convoy::testing::check_mutation_test
