#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <map>

#include "core/base/error.hpp"
#include "core/plan/print/print.hpp"
#include "tests/plan/check/mutants.hpp"
#include "tests/plan/check/mutation_oracle.hpp"
#include "tests/plan/check/sample_compression.hpp"
#include "tests/plan/check/sample_recurrences.hpp"
#include "tests/plan/sample_plans.hpp"
#include "tests/sanitized.hpp"

namespace convoy::testing::check_mutation_test {
namespace {

constexpr int kMutantsPerCase = kSanitized ? 2 : 10;

struct Tally {
  int mutants = 0;
  int unharmed = 0;  // still what it was, and the numbers agree
  int named = 0;     // wrong, with an operation
  int unnamed = 0;   // wrong, without one
  int relabelled = 0;
};

bool names_operation(const CheckReport& report) {
  for (const Finding& finding : report.findings)
    if (finding.operation != CONVOY_NONE) return true;
  return false;
}

std::string text_of(const Plan& plan) {
  std::string text;
  for (const Operation& operation : plan.body) text += operation_line(plan, operation) + '\n';
  return text;
}

class Mutations {
 public:
  void run(const std::string& name, const WritePlan& write, int each, const Cluster& cluster,
           const ArenaMap& arena) {
    const Plan plan = write_plan(cluster, arena, write);
    const CheckReport original = check_plan(plan);
    ASSERT_NE(original.verdict, Verdict::kWrong) << name;
    for (int kind = 0; kind < kMutationKinds; ++kind)
      for (int i = 0; i < each; ++i) {
        Plan mutant = plan;
        const auto mutation = static_cast<MutationKind>(kind);
        bool changed = false;
        for (int tries = 0; !changed && tries < 20; ++tries)
          changed = mutate(mutant, mutation, random_);
        if (changed) judge(name, mutant, mutation, original);
      }
  }
  const std::map<MutationKind, Tally>& tallies() const { return tallies_; }

 private:
  void judge(const std::string& name, const Plan& mutant, MutationKind kind,
             const CheckReport& original) {
    Tally& tally = tallies_[kind];
    ++tally.mutants;
    const CheckReport report = check_plan(mutant);
    if (report.verdict == Verdict::kWrong || report.verdict == Verdict::kUnproved) {
      ++(names_operation(report) ? tally.named : tally.unnamed);
      return;
    }
    ++(report.verdict_text() == original.verdict_text() ? tally.unharmed : tally.relabelled);
    const auto found = contradiction(mutant, report);
    EXPECT_FALSE(found.has_value())
        << name << ", " << mutant.cluster->replicas() << " replicas, " << mutation_name(kind)
        << ": said to be " << report.verdict_text() << ", but " << *found << '\n'
        << text_of(mutant);
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
      for (const SamplePlan& sample : sample_plans())
        mutations.run(sample.name, sample.write, kMutantsPerCase, cluster, arena);
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

// The same for what the literature does, whose state never repeats: nothing that is lost may be
// called kept. CONVOY_MUTANTS says how many there are.
TEST(CheckMutation, NoMutantOfARecurrenceIsSaidToLoseNothingThatLosesSomething) {
  constexpr int kUsualMutants = kSanitized ? 200 : 2000;
  const char* wanted = std::getenv("CONVOY_MUTANTS");
  std::vector<SampleRecurrence> samples = right_recurrences();
  for (const SampleRecurrence& it : right_compressions()) samples.push_back(it);
  const int count = wanted == nullptr ? kUsualMutants : std::atoi(wanted);
  const int each = count / static_cast<int>(3 * samples.size() * kMutationKinds) + 1;
  Mutations mutations;
  const ArenaMap arena = small_arena(0);
  for (const std::uint32_t replicas : {2u, 3u, 4u}) {
    const Cluster cluster = make_single_host(replicas, true, "cpu");
    for (const SampleRecurrence& sample : samples)
      if (replicas >= sample.fewest_replicas)
        mutations.run(sample.name, sample.write, each, cluster, arena);
  }
  int mutants = 0;
  for (const auto& [kind, tally] : mutations.tallies()) {
    mutants += tally.mutants;
    EXPECT_GT(tally.named, 0) << mutation_name(kind);
    std::cout << fmt::format(
        "{:8} {:6} mutants: {} as before, {} other, {} refused with and {} "
        "without an operation\n",
        mutation_name(kind), tally.mutants, tally.unharmed, tally.relabelled, tally.named,
        tally.unnamed);
  }
  EXPECT_GT(mutants, count / 3);
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
      EXPECT_EQ(contradiction(plan, report).value_or(""), "")
          << sample.name << ", " << replicas << " replicas: " << report.verdict_text();
    }
  }
}

}  // namespace
}  // namespace convoy::testing::check_mutation_test
