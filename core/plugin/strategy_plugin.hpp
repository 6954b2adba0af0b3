#pragma once

#include <convoy/abi/strategy.h>

#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "core/plugin/library.hpp"

namespace convoy::plugin {

// One instance of a strategy, with its options. Failures of the plug-in are thrown as Error.
class StrategyPlugin : public PluginInstance<convoy_strategy> {
 public:
  using PluginInstance::PluginInstance;

  // A function that tries every later plan() first, for example in a child process.
  using TryFirst = std::function<void(const std::function<void()>& work)>;
  void set_trial(TryFirst try_first) { try_first_ = std::move(try_first); }

  // Writes one training step with the planner's functions.
  void plan(const convoy_planner& planner);

  // The kernel that a CALL operation named, in this form; empty when it does not exist.
  std::optional<convoy_kernel> kernel(const std::string& name, convoy_kernel_form form);

 private:
  void write(const convoy_planner& planner);

  TryFirst try_first_;
};

}  // namespace convoy::plugin
