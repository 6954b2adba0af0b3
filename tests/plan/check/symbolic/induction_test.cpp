#include "core/plan/check/symbolic/induction.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "tests/plan/sample_models.hpp"
#include "tests/plan/sample_plans.hpp"

namespace convoy::plan::check {
namespace {

using RunPeriod = std::function<std::unique_ptr<SymbolicRun>(Budget&, const SymbolicRun&)>;

std::uint64_t spent_by(const Plan& plan, const RunPeriod& run_period) {
  Budget budget;
  SymbolicRun begun(plan, budget);
  begun.run_prologue();
  const std::uint64_t before = budget.spent();
  run_period(budget, begun);
  return budget.spent() - before;
}

// The replicas' parameters begin alike and are not any more after the first period: so much is left
// for the proof as if nobody had tried to take them for one.
TEST(Induction, AnAttemptThatFailsCostsTheProofNothing) {
  const ArenaMap arena = testing::small_arena(0);
  const Cluster cluster = make_single_host(3, true, "cpu");
  const Plan plan = testing::write_plan(cluster, arena, testing::write_independent);
  const std::uint64_t apart = spent_by(plan, [&](Budget& budget, const SymbolicRun&) {
    return run_unshared_inductive_period(plan, budget);
  });
  EXPECT_GT(apart, 0u);
  EXPECT_EQ(spent_by(plan,
                     [&](Budget& budget, const SymbolicRun& begun) {
                       return run_inductive_period(plan, budget, begun);
                     }),
            apart);
}

}  // namespace
}  // namespace convoy::plan::check
