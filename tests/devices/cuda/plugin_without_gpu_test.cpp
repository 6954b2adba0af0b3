// The plug-in as a file, on machines with and without a driver.
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/plugin/availability.hpp"
#include "core/plugin/catalog.hpp"
#include "core/plugin/device_plugin.hpp"

namespace convoy::cuda {
namespace {

constexpr const char* kPlugin = CONVOY_BINARY_DIR "/lib/convoy/plugins/convoy_device_cuda.so";

plugin::FoundPlugin found() {
  return plugin::Catalog::scan({}).find(plugin::PluginKind::kDevice, kPlugin);
}

bool has_driver() {
  return dlopen("libcuda.so.1", RTLD_LAZY) != nullptr;
}

TEST(CudaPlugin, LoadsWithoutADriver) {
  plugin::PluginHost host;
  const plugin::LoadedPlugin<convoy_device> loaded = host.load_device(found());
  EXPECT_EQ(loaded.manifest.name, "cuda");
  EXPECT_EQ(loaded.table->struct_size, sizeof(convoy_device));
}

TEST(CudaPlugin, SaysWhyThereIsNoDevice) {
  plugin::PluginHost host;
  const std::optional<std::string> reason = plugin::unavailable_reason(host, found());
  if (has_driver()) {
    if (!reason) GTEST_SKIP() << "there is a CUDA device";
    EXPECT_THAT(*reason, testing::Not(testing::IsEmpty()));
    return;
  }
  ASSERT_TRUE(reason.has_value());
  EXPECT_THAT(*reason, testing::HasSubstr("no NVIDIA driver: libcuda.so.1 cannot be opened"));
}

TEST(CudaPlugin, RefusesToOpenWithTheSameReason) {
  plugin::PluginHost host;
  const std::optional<std::string> reason = plugin::unavailable_reason(host, found());
  if (!reason) GTEST_SKIP() << "there is a CUDA device";
  const plugin::DevicePlugin plugin(host.load_device(found()), {});
  const convoy_device_request request{sizeof(request), 1, 0};
  try {
    const plugin::OpenDevice device(plugin, request, 0);
    FAIL() << "a device was opened";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kUnavailable);
    EXPECT_THAT(error.what(), testing::HasSubstr(*reason));
  }
}

}  // namespace
}  // namespace convoy::cuda
