#pragma once

#include <filesystem>
#include <string>

#include "core/plan/step_plan.hpp"
#include "core/plugin/library.hpp"
#include "core/plugin/strategy_plugin.hpp"

namespace convoy::testing {

// Where the build puts convoy's own plug-ins.
std::filesystem::path plugin_directory();

// One of convoy's own strategies, loaded from its file as the program does it.
class StrategyUnderTest {
 public:
  explicit StrategyUnderTest(const std::string& name, const OptionValues& options = {});

  const std::string& claim() const { return strategy_.manifest().claim; }
  PlanAuthor author();
  // What it writes, asked twice. Error when it refuses. The arguments must outlive the plan.
  Plan plan(const Cluster& cluster, const ArenaMap& arena);

 private:
  PluginHost host_;
  StrategyPlugin strategy_;
};

}  // namespace convoy::testing
