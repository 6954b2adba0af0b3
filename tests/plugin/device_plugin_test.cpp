#include "core/plugin/device_plugin.hpp"

#include <convoy/sized.hpp>

#include <gtest/gtest.h>

#include <cstring>

#include "tests/plugin/fixtures.hpp"

namespace convoy::plugin {
namespace {

// A device whose memory is the host's and that records what it was asked to do.
struct Recorder {
  std::uint32_t submitted = 0;
  bool closed = false;
};

convoy_device recording_table() {
  auto table = make_sized<convoy_device>();
  table.abi_major = CONVOY_ABI_MAJOR;
  table.count = [](convoy_context*, const convoy_host*, const convoy_device_request* request,
                   std::uint32_t* out) {
    *out = request->devices == 0 ? 2 : request->devices;
    return 0;
  };
  table.close = [](void* self) { static_cast<Recorder*>(self)->closed = true; };
  table.describe = [](void*, convoy_context*, convoy_device_description* out) {
    std::memset(out->name, 'n', sizeof out->name);
    return 0;
  };
  table.propose_layout = [](void*, convoy_context*, const convoy_compilation* what,
                            convoy_layout* out) {
    for (std::uint64_t i = 0; i < what->graph->variable_count; ++i) out[i].elements = 10 + i;
    return 0;
  };
  table.compile = [](void*, convoy_context* context, const convoy_compilation*, void**) {
    host_functions().set_error(context, "layer 3: groups are not supported");
    return 1;
  };
  table.supports = [](void*, convoy_context* context, const convoy_operation* operation) {
    if (operation->kind == CONVOY_OP_SUM) return 0;
    host_functions().set_error(context, "only sums");
    return 1;
  };
  table.submit = [](void* self, convoy_context*, const convoy_submission*) {
    ++static_cast<Recorder*>(self)->submitted;
    return 0;
  };
  table.wait = [](void*, convoy_context*, const convoy_wait* point, double,
                  std::uint32_t* reached) {
    *reached = *point->timeline >= point->value ? 1 : 0;
    return 0;
  };
  table.now = [](void*) { return 12.5; };
  return table;
}

Recorder* opened = nullptr;

class DevicePluginTest : public testing::Test {
 protected:
  DevicePluginTest() {
    opened = &recorder_;
    table_.open = [](convoy_context* context, const convoy_host* host, const convoy_device_request*,
                     std::uint32_t index, void** device) {
      if (index > 0) {
        host->set_error(context, "there is one device only");
        return 1;
      }
      *device = opened;
      return 0;
    };
  }

  Recorder recorder_;
  convoy_device table_ = recording_table();
  DevicePlugin plugin_{{.table = &table_, .manifest = {}, .path = "in this program"}, {}};
  convoy_device_request request_{.struct_size = sizeof request_, .devices = 0, .threads = 1};
};

TEST_F(DevicePluginTest, PassesCallsOn) {
  EXPECT_EQ(plugin_.count(request_), 2u);
  {
    OpenDevice device(plugin_, request_, 0);
    EXPECT_EQ(std::strlen(device.describe().name), 63u) << "the text must end in its field";
    convoy_graph graph{};
    graph.variable_count = 2;
    convoy_compilation what{};
    what.graph = &graph;
    EXPECT_EQ(device.propose_layout(what).at(1).elements, 11u);
    device.submit({});
    EXPECT_EQ(recorder_.submitted, 1u);
    const std::uint64_t timeline = 5;
    EXPECT_TRUE(device.wait({&timeline, 5}, 0.0));
    EXPECT_FALSE(device.wait({&timeline, 6}, 0.0));
    EXPECT_EQ(device.now(), 12.5);
    EXPECT_FALSE(recorder_.closed);
  }
  EXPECT_TRUE(recorder_.closed);
}

TEST_F(DevicePluginTest, ThrowsThePluginsReason) {
  OpenDevice device(plugin_, request_, 0);
  expect_error(ExitCode::kUnavailable, {"compiling the model failed: layer 3: groups"},
               [&] { device.compile({}); });
  expect_error(ExitCode::kUnavailable, {"opening device 1 failed: there is one device only"},
               [&] { OpenDevice second(plugin_, request_, 1); });
}

TEST_F(DevicePluginTest, SaysWhyAnOperationCannotRun) {
  OpenDevice device(plugin_, request_, 0);
  convoy_operation operation{};
  operation.kind = CONVOY_OP_SUM;
  EXPECT_EQ(device.refusal(operation), std::nullopt);
  operation.kind = CONVOY_OP_COPY;
  EXPECT_EQ(device.refusal(operation), "only sums");
}

TEST_F(DevicePluginTest, TellsARefusalOfCollectivesFromATimeout) {
  static std::int32_t status = 1;
  table_.supports_collectives = [](void*, convoy_context* context, void* const*, std::uint64_t,
                                   std::uint32_t) {
    host_functions().set_error(context, "one GPU does not answer");
    return status;
  };
  OpenDevice device(plugin_, request_, 0);
  status = 1;
  EXPECT_EQ(device.collective_refusal({&device}, true), "one GPU does not answer");
  status = CONVOY_TIMED_OUT;
  expect_error(ExitCode::kTimeout, {"preparing its collectives failed: one GPU does not answer"},
               [&] { device.collective_refusal({&device}, true); });
}

}  // namespace
}  // namespace convoy::plugin
