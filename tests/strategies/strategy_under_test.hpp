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
  explicit StrategyUnderTest(const std::string& name, const plugin::OptionValues& options = {});

  const std::string& claim() const { return strategy_.manifest().claim; }
  plan::PlanAuthor author();
  // What it writes, asked twice. Error when it refuses. The arguments must outlive the plan.
  plan::Plan plan(const plan::Cluster& cluster, const plan::ArenaMap& arena);

 private:
  plugin::PluginHost host_;
  plugin::StrategyPlugin strategy_;
};

}  // namespace convoy::testing
