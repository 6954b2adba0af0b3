#pragma once

#include <convoy/abi/strategy.h>

#include <optional>
#include <string>

#include "core/plugin/context.hpp"
#include "core/plugin/library.hpp"

namespace convoy {

// One instance of a strategy, with its options. Failures of the plug-in are thrown as Error.
class StrategyPlugin {
 public:
  StrategyPlugin(LoadedPlugin<convoy_strategy> plugin, const OptionValues& options,
                 PluginLog log = {});
  ~StrategyPlugin();
  StrategyPlugin(const StrategyPlugin&) = delete;
  StrategyPlugin& operator=(const StrategyPlugin&) = delete;

  const Manifest& manifest() const { return plugin_.manifest; }
  const OptionValues& options() const { return settings_.options; }

  // Writes one training step with the planner's functions.
  void plan(const convoy_planner& planner);

  // The kernel that a CALL operation named, in this form; empty when it does not exist.
  std::optional<convoy_kernel> kernel(const std::string& name, convoy_kernel_form form);

 private:
  LoadedPlugin<convoy_strategy> plugin_;
  PluginSettings settings_;
  void* self_ = nullptr;
};

}  // namespace convoy
