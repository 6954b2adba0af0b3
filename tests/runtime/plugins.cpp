#include "tests/runtime/plugins.hpp"

namespace convoy::testing {
namespace {

FoundPlugin built(const std::string& file) {
  return read_plugin(std::string(CONVOY_BINARY_DIR "/lib/convoy/plugins/") + file);
}

}  // namespace

std::unique_ptr<DevicePlugin> cpu_plugin(PluginHost& host) {
  return std::make_unique<DevicePlugin>(host.load_device(built("convoy_device_cpu.so")),
                                        OptionValues{});
}

std::unique_ptr<StrategyPlugin> strategy_plugin(PluginHost& host, const std::string& name,
                                                const OptionValues& options) {
  return std::make_unique<StrategyPlugin>(host.load_strategy(built(name + ".so")), options);
}

}  // namespace convoy::testing
