#include "tests/strategies/strategy_under_test.hpp"

#include "core/plan/make_plan.hpp"

namespace convoy::testing {

std::filesystem::path plugin_directory() {
  return std::filesystem::path(CONVOY_BINARY_DIR) / "lib/convoy/plugins";
}

StrategyUnderTest::StrategyUnderTest(const std::string& name, const plugin::OptionValues& options)
    : strategy_(host_.load_strategy(plugin::read_plugin(plugin_directory() / (name + ".so"))),
                options) {}

plan::PlanAuthor StrategyUnderTest::author() {
  return {strategy_.manifest().name,
          [this](const convoy_planner& planner) { strategy_.plan(planner); }};
}

plan::Plan StrategyUnderTest::plan(const plan::Cluster& cluster, const plan::ArenaMap& arena) {
  return plan::make_plan(strategy_.manifest().name, cluster, arena, author().write).plan;
}

}  // namespace convoy::testing
