#include "tests/devices/device_under_test.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "core/plugin/availability.hpp"

namespace convoy::test {
namespace {

plugin::FoundPlugin found_plugin() {
  const char* given = std::getenv("CONVOY_TEST_DEVICE");
  const std::string kind = given == nullptr ? "cpu" : given;
  const bool is_file = kind.find('/') != std::string::npos;
  return plugin::read_plugin(
      is_file ? kind : CONVOY_BINARY_DIR "/lib/convoy/plugins/convoy_device_" + kind + ".so");
}

plugin::PluginHost& host() {
  static plugin::PluginHost plugins;
  return plugins;
}

// Tests of a kind of devices that this machine has none of are skipped, with its reason.
class SkipWithoutDevice : public testing::Environment {
 public:
  void SetUp() override {
    // As the host does: the OpenMP runtime reads this when it is loaded, and threads that spin for
    // long take the cores from each other.
    setenv("GOMP_SPINCOUNT", "1000", 0);
    if (std::getenv("CONVOY_TEST_DEVICE") == nullptr) return;
    if (const auto reason = plugin::unavailable_reason(host(), found_plugin()))
      GTEST_SKIP() << "no CUDA device can be used: " << *reason;
  }
};

[[maybe_unused]] const testing::Environment* const kSkip =
    testing::AddGlobalTestEnvironment(new SkipWithoutDevice);

}  // namespace

plugin::DevicePlugin tested_plugin(plugin::PluginLog log) {
  return {host().load_device(found_plugin()), {}, std::move(log)};
}

}  // namespace convoy::test
