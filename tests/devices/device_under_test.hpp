#pragma once

#include <string>
#include <vector>

#include "core/conformance/tested_device.hpp"

namespace convoy::test {

using namespace conformance;

// Seconds after which an operation is taken to hang.
inline constexpr double kPatience = 20;

// The plug-in in this build tree: that of the CPU device, or of the kind that the environment
// variable CONVOY_TEST_DEVICE names ("cuda", or a plug-in's file). `log` receives what it says.
plugin::DevicePlugin tested_plugin(plugin::PluginLog log = {});

namespace detail {
// A base, so that it is there before the device and after it.
struct LoggingPlugin {
  std::vector<std::string> log;
  plugin::DevicePlugin plugin = tested_plugin(
      [this](std::int32_t, std::string_view, std::string_view text) { log.emplace_back(text); });
};
}  // namespace detail

class DeviceUnderTest : public detail::LoggingPlugin, public TestedDevice {
 public:
  explicit DeviceUnderTest(std::uint32_t devices = 1, std::uint32_t index = 0,
                           std::uint32_t threads = 0)
      : TestedDevice(plugin, {devices, index, threads}) {}
};

}  // namespace convoy::test
