#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <fmt/format.h>
#include <convoy/strategy.hpp>

#include "core/plugin/strategy_plugin.hpp"

namespace convoy::testing {

// A strategy that is part of the test program, with an option max_lag.
template <typename T>
std::unique_ptr<plugin::StrategyPlugin> built_in_strategy(const std::string& name,
                                                          std::int64_t max_lag) {
  plugin::Manifest manifest;
  manifest.kind = plugin::PluginKind::kStrategy;
  manifest.name = name;
  manifest.options.push_back({.name = "max_lag",
                              .type = plugin::OptionType::kInt,
                              .default_value = fmt::to_string(max_lag)});
  return std::make_unique<plugin::StrategyPlugin>(
      plugin::LoadedPlugin<convoy_strategy>{&convoy::detail::StrategyTable<T>::kTable, manifest,
                                            "built in"},
      plugin::OptionValues{});
}

// Every device reads variables that may be old and applies its own gradient; the last device takes
// 30 ms longer than the others. max_lag: how old in steps, -1: of any age.
std::unique_ptr<plugin::StrategyPlugin> lagging_strategy(std::int64_t max_lag);

// Every device trains alone, and updates after every second step. Of the first one the host is
// given a gradient, which arrives 30 ms late.
std::unique_ptr<plugin::StrategyPlugin> trailing_strategy();

}  // namespace convoy::testing
