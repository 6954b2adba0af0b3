#pragma once

#include <memory>
#include <string>

#include "core/plugin/device_plugin.hpp"
#include "core/plugin/library.hpp"
#include "core/plugin/strategy_plugin.hpp"
#include "core/plugin/transport_plugin.hpp"

namespace convoy::testing {

// The plug-ins of this build tree.
std::unique_ptr<plugin::DevicePlugin> cpu_plugin(plugin::PluginHost& host);
// The kind of devices that the environment variable CONVOY_TEST_DEVICE names ("cuda", or a
// plug-in's file), else CPU devices; as CUDA devices, so many on the first GPU.
plugin::FoundPlugin found_under_test();
std::unique_ptr<plugin::DevicePlugin> plugin_under_test(plugin::PluginHost& host,
                                                        std::uint32_t devices);
std::unique_ptr<plugin::StrategyPlugin> strategy_plugin(plugin::PluginHost& host,
                                                        const std::string& name,
                                                        const plugin::OptionValues& options = {});

// A strategy with options, and how few devices it makes sense for.
struct StrategyVariant {
  std::string strategy;
  plugin::OptionValues values = {};
  std::uint32_t fewest_devices = 1;
};
std::unique_ptr<plugin::StrategyPlugin> strategy_plugin(plugin::PluginHost& host,
                                                        const StrategyVariant& variant);
// As a command line would name it.
std::string to_text(const StrategyVariant& variant);
std::string to_text(const StrategyVariant& variant, std::uint32_t devices);

std::unique_ptr<plugin::TransportPlugin> transport_plugin(plugin::PluginHost& host,
                                                          const std::string& name);

}  // namespace convoy::testing
