#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <iostream>
#include <map>

#include "core/base/error.hpp"
#include "tests/plan/mutants.hpp"
#include "tests/plan/sample_plans.hpp"
#include "tests/plan/trajectories.hpp"
#include "tests/sanitized.hpp"

namespace convoy::testing::check_mutation_test {
namespace {

constexpr std::uint64_t kSteps = 6;
constexpr int kMutantsPerCase = kSanitized ? 2 : 10;

struct Tally {
  int mutants = 0;
  int unharmed = 0;  // still what it was, and the numbers agree
  int named = 0;     // wrong, with an operation
  int unnamed = 0;   // wrong, without one
  int relabelled = 0;
};

bool has_recurrence(const CheckReport& report) {
  const Verdict verdict = report.verdict;
  return (verdict == Verdict::kSynchronous || verdict == Verdict::kSynchronousEvery ||
          verdict == Verdict::kStale) &&
         report.uniform;
}

std::optional<std::string> disagreement(const Plan& plan, const CheckReport& report) {
  return difference(interpreted_reads(plan, kSteps),
                    recurrence_reads(*plan.arena, plan.cluster->replicas(), report, kSteps));
}

bool names_operation(const CheckReport& report) {
  for (const Finding& finding : report.findings)
    if (finding.operation != CONVOY_NONE) return true;
  return false;
}

class Mutations {
 public:
  void run(const SamplePlan& sample, const Cluster& cluster, const ArenaMap& arena) {
    const Plan plan = write_plan(cluster, arena, sample.write);
    const CheckReport original = check_plan(plan);
    ASSERT_NE(original.verdict, Verdict::kWrong) << sample.name;
    for (int kind = 0; kind < kMutationKinds; ++kind)
      for (int i = 0; i < kMutantsPerCase; ++i) {
        Plan mutant = plan;
        const auto mutation = static_cast<MutationKind>(kind);
        bool changed = false;
        for (int tries = 0; !changed && tries < 20; ++tries)
          changed = mutate(mutant, mutation, random_);
        if (changed) judge(sample, mutant, mutation, original);
      }
  }
  const std::map<MutationKind, Tally>& tallies() const { return tallies_; }

 private:
  void judge(const SamplePlan& sample, const Plan& mutant, MutationKind kind,
             const CheckReport& original) {
    Tally& tally = tallies_[kind];
    ++tally.mutants;
    const CheckReport report = check_plan(mutant);
    if (report.verdict == Verdict::kWrong) {
      ++(names_operation(report) ? tally.named : tally.unnamed);
      return;
    }
    ++(report.verdict_text() == original.verdict_text() ? tally.unharmed : tally.relabelled);
    if (!has_recurrence(report)) return;
    const auto found = disagreement(mutant, report);
    EXPECT_FALSE(found.has_value())
        << sample.name << ", " << mutant.cluster->replicas() << " replicas, " << mutation_name(kind)
        << ": said to be " << report.verdict_text() << ", but " << *found;
  }

  std::mt19937 random_{20240917};
  std::map<MutationKind, Tally> tallies_;
};

TEST(CheckMutation, NoMutantIsCalledSynchronousOrStaleThatIsNot) {
  const auto start = std::chrono::steady_clock::now();
  Mutations mutations;
  for (const std::uint32_t replicas : {1u, 2u, 3u, 4u})
    for (const ArenaMap& arena : {small_arena(0), small_arena(64), ragged_arena()}) {
      const Cluster cluster = make_single_host(replicas, true, "cpu");
      for (const SamplePlan& sample : sample_plans()) mutations.run(sample, cluster, arena);
    }
  Tally total;
  for (const auto& [kind, tally] : mutations.tallies()) {
    std::cout << fmt::format(
        "{:8} {:6} mutants: {} unharmed, {} of another kind, {} wrong with and {} without an "
        "operation\n",
        mutation_name(kind), tally.mutants, tally.unharmed, tally.relabelled, tally.named,
        tally.unnamed);
    total.mutants += tally.mutants;
    total.named += tally.named;
    total.unnamed += tally.unnamed;
    EXPECT_GT(tally.named, 0) << mutation_name(kind);
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  std::cout << fmt::format("{} mutants in {:.1f} s\n", total.mutants, took.count());
  EXPECT_GE(total.mutants, 1'000 * kMutantsPerCase);
  // A defect that shows only as an irregular whole has no operation to name; it must be rare.
  EXPECT_LT(total.unnamed * 20, total.named);
}

// An effect on the numbers must be noticed: what the checker leaves at the original verdict with
// a recurrence was compared above; here unmutated plans of every kind.
TEST(CheckMutation, UnmutatedPlansFollowTheRecurrenceThatTheReportNames) {
  for (const std::uint32_t replicas : {1u, 2u, 3u, 5u}) {
    const ArenaMap arena = ragged_arena();
    const Cluster cluster = make_single_host(replicas, true, "cpu");
    for (const SamplePlan& sample : sample_plans()) {
      const Plan plan = write_plan(cluster, arena, sample.write);
      const CheckReport report = check_plan(plan);
      if (!has_recurrence(report)) continue;
      EXPECT_EQ(disagreement(plan, report).value_or(""), "")
          << sample.name << ", " << replicas << " replicas: " << report.verdict_text();
    }
  }
}

}  // namespace
}  // namespace convoy::testing::check_mutation_test
