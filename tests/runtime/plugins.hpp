#pragma once

#include <memory>
#include <string>

#include "core/plugin/device_plugin.hpp"
#include "core/plugin/library.hpp"
#include "core/plugin/strategy_plugin.hpp"

namespace convoy::testing {

// The plug-ins of this build tree.
std::unique_ptr<DevicePlugin> cpu_plugin(PluginHost& host);
std::unique_ptr<StrategyPlugin> strategy_plugin(PluginHost& host, const std::string& name,
                                                const OptionValues& options = {});

}  // namespace convoy::testing
