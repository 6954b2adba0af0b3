#include "tests/runtime/plugins.hpp"

#include <fmt/format.h>

#include <cstdlib>

namespace convoy::testing {
namespace {

plugin::FoundPlugin built(const std::string& file) {
  return plugin::read_plugin(std::string(CONVOY_BINARY_DIR "/lib/convoy/plugins/") + file);
}

}  // namespace

std::unique_ptr<plugin::DevicePlugin> cpu_plugin(plugin::PluginHost& host) {
  return std::make_unique<plugin::DevicePlugin>(host.load_device(built("convoy_device_cpu.so")),
                                                plugin::OptionValues{});
}

plugin::FoundPlugin found_under_test() {
  const char* given = std::getenv("CONVOY_TEST_DEVICE");
  const std::string kind = given == nullptr ? "cpu" : given;
  if (kind.find('/') != std::string::npos) return plugin::read_plugin(kind);
  return built("convoy_device_" + kind + ".so");
}

std::unique_ptr<plugin::DevicePlugin> plugin_under_test(plugin::PluginHost& host,
                                                        std::uint32_t devices) {
  const plugin::FoundPlugin found = found_under_test();
  plugin::OptionValues options;
  if (found.manifest.name == "cuda") {
    std::string indices = "0";
    for (std::uint32_t i = 1; i < devices; ++i) indices += ",0";
    options["gpu_indices"] = indices;
  }
  return std::make_unique<plugin::DevicePlugin>(host.load_device(found), options);
}

std::unique_ptr<plugin::StrategyPlugin> strategy_plugin(plugin::PluginHost& host,
                                                        const std::string& name,
                                                        const plugin::OptionValues& options) {
  return std::make_unique<plugin::StrategyPlugin>(host.load_strategy(built(name + ".so")), options);
}

std::unique_ptr<plugin::StrategyPlugin> strategy_plugin(plugin::PluginHost& host,
                                                        const StrategyVariant& variant) {
  return strategy_plugin(host, variant.strategy, variant.values);
}

std::string to_text(const StrategyVariant& variant) {
  std::string text = variant.strategy;
  for (const auto& [name, value] : variant.values) text += fmt::format(" --{}={}", name, value);
  return text;
}

std::string to_text(const StrategyVariant& variant, std::uint32_t devices) {
  return fmt::format("{} on {} devices", to_text(variant), devices);
}

std::unique_ptr<plugin::TransportPlugin> transport_plugin(plugin::PluginHost& host,
                                                          const std::string& name) {
  return std::make_unique<plugin::TransportPlugin>(
      host.load_transport(built("convoy_transport_" + name + ".so")), plugin::OptionValues{});
}

}  // namespace convoy::testing
