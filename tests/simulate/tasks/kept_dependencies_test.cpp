#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/plan/lower/lower.hpp"
#include "core/plan/schedule/dependencies.hpp"
#include "core/simulate/simulate.hpp"
#include "tests/plan/sample_plans.hpp"
#include "tests/simulate/hand_machine.hpp"

namespace convoy::testing {
namespace {

using simulate::FetchOrder;

// Only the necessary ones among the dependencies are looked at in a run, and tasks are numbered in
// another order than the plan's: all must be kept all the same, whatever the order of fetches.
void expect_kept(const HandMachine& hand, const WritePlan& write, FetchOrder order) {
  const plan::ArenaMap arena = equal_arena(4, 100'000);
  const plan::Plan plan = plan::lower(write_plan(hand.cluster, arena, write));
  simulate::SimulationOptions options;
  options.keep_operations = true;
  options.software.fetch_order = order;
  const auto result =
      simulate::simulate(plan, hand.machine, {equal_layers(4, 1e-4, 2e-4)}, options);
  ASSERT_EQ(result.operations.size(), plan.body.size());
  const plan::DependencyLists dependencies = plan::find_dependencies(plan);
  std::size_t looked_at = 0;
  for (std::uint32_t i = 0; i < plan.body.size(); ++i) {
    ASSERT_EQ(result.operations[i].operation, i);
    for (const plan::Dependency& it : dependencies[i]) {
      if (it.distance != 0) continue;
      ++looked_at;
      EXPECT_LE(result.operations[it.before].end, result.operations[i].start + 1e-12)
          << "operation " << i << " waits for " << it.before;
    }
  }
  EXPECT_GT(looked_at, plan.body.size() / 2);
}

TEST(KeptDependencies, NoOperationStartsBeforeWhatItWaitsForHasEnded) {
  const std::vector<WritePlan> plans = {write_parameter_server, write_sharded_server,
                                        write_copy_reduce, write_replicated(Algorithm::kRing)};
  for (std::size_t plan = 0; plan < plans.size(); ++plan)
    for (const std::uint32_t hosts : {1u, 2u})
      for (const FetchOrder order :
           {FetchOrder::kPlanned, FetchOrder::kReverse, FetchOrder::kRandom}) {
        SCOPED_TRACE("plan " + std::to_string(plan) + ", hosts " + std::to_string(hosts));
        expect_kept(hand_machine(hosts, 3, hosts == 2), plans[plan], order);
      }
}

}  // namespace
}  // namespace convoy::testing
