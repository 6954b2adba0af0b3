#include "tests/runtime/plugins.hpp"

#include <fmt/format.h>

#include <cstdlib>

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

FoundPlugin found_under_test() {
  const char* given = std::getenv("CONVOY_TEST_DEVICE");
  const std::string kind = given == nullptr ? "cpu" : given;
  if (kind.find('/') != std::string::npos) return read_plugin(kind);
  return built("convoy_device_" + kind + ".so");
}

std::unique_ptr<DevicePlugin> plugin_under_test(PluginHost& host, std::uint32_t devices) {
  const FoundPlugin found = found_under_test();
  OptionValues options;
  if (found.manifest.name == "cuda") {
    std::string indices = "0";
    for (std::uint32_t i = 1; i < devices; ++i) indices += ",0";
    options["gpu_indices"] = indices;
  }
  return std::make_unique<DevicePlugin>(host.load_device(found), options);
}

std::unique_ptr<StrategyPlugin> strategy_plugin(PluginHost& host, const std::string& name,
                                                const OptionValues& options) {
  return std::make_unique<StrategyPlugin>(host.load_strategy(built(name + ".so")), options);
}

std::unique_ptr<StrategyPlugin> strategy_plugin(PluginHost& host, const StrategyVariant& variant) {
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

std::unique_ptr<TransportPlugin> transport_plugin(PluginHost& host, const std::string& name) {
  return std::make_unique<TransportPlugin>(
      host.load_transport(built("convoy_transport_" + name + ".so")), OptionValues{});
}

}  // namespace convoy::testing
