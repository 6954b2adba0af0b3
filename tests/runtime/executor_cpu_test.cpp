#include <gtest/gtest.h>

#include "tests/runtime/plugins.hpp"
#include "tests/runtime/random_plan.hpp"
#include "tests/runtime/random_trial.hpp"

namespace convoy::testing {
namespace {

TEST(ExecutorOnCpu, DoesWhatTheInterpreterDoesWithRandomPlans) {
  const plan::ArenaMap arena = small_arena(32);
  plugin::PluginHost host;
  const auto plugin = cpu_plugin(host);
  PlanRunnerOptions runner_options = small_pieces();
  runner_options.toy_programs = false;
  for (std::uint64_t seed = 0; seed < kRandomPlans / 2; ++seed) {
    const auto replicas = static_cast<std::uint32_t>(1 + seed % 3);
    const plan::Cluster cluster = plan::make_single_host(replicas, true, "cpu");
    const plan::Plan plan = without_layers(write_plan(cluster, arena, write_random(1000 + seed)));
    PlanRunner runner(plan, *plugin, random_options(arena, seed), runner_options);
    Interpreter interpreter(plan, random_options(arena, seed));
    runner.run(5);
    interpreter.run(5);
    ASSERT_TRUE(is_finite(plan, interpreter)) << "plan " << 1000 + seed;
    ASSERT_EQ(runner.difference(interpreter), "")
        << "plan " << 1000 + seed << ", " << replicas << " replicas";
  }
}

}  // namespace
}  // namespace convoy::testing
