// What a reader does not know is refused, by the host and by plug-ins, with what to do.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.hpp"
#include "core/plan/cluster.hpp"
#include "core/plan/make_plan.hpp"
#include "tests/abi/training_case.hpp"
#include "tests/support/thrown_text.hpp"

namespace convoy::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

template <typename Action>
std::string refusal(Action action) {
  return thrown_text([&] { action(); }, "accepted");
}

plan::ArenaMap one_variable() {
  plan::ArenaMap arena;
  arena.variables = {{"weights", {0, 8}, 8, 1}};
  arena.elements = 8;
  arena.segments = {{0, 2, {0, 8}}};
  arena.buckets = {{0, 8}};
  return arena;
}

std::string plan_of_later_strategy(const std::string& says_more) {
  return refusal([&] {
    plugin::PluginHost host;
    plugin::StrategyPlugin strategy(
        host.load_strategy(plugin::read_plugin(kLater / "plain_strategy.so")),
        {{"say_more", says_more}});
    const plan::ArenaMap arena = one_variable();
    const plan::Cluster cluster = plan::make_single_host(2, true, "cpu");
    plan::make_plan("plain_strategy", cluster, arena,
                    [&](const convoy_planner& planner) { strategy.plan(planner); });
  });
}

std::string graph_of_later_model(const std::string& says_more) {
  return refusal([&] {
    plugin::PluginHost host;
    plugin::ModelPlugin model(host.load_model(plugin::read_plugin(kLater / "plain_model.so")),
                              {{"say_more", says_more}});
    graph_of(model);
  });
}

// A device of the version that was frozen, asked about one layer by this host.
class FrozenDevice {
 public:
  FrozenDevice() {
    layer.struct_size = sizeof(layer);
    layer.kind = CONVOY_LAYER_INPUT;
    node.struct_size = sizeof(node);
    node.layer = &layer;
    node.channels = node.height = node.width = 1;
    graph.struct_size = sizeof(graph);
    graph.nodes = nodes_;
    graph.node_count = 1;
    what.struct_size = sizeof(what);
    what.graph = &graph;
    what.batch = 1;
  }

  std::string compile() {
    return refusal([&] { device_.release(device_.compile(what)); });
  }
  std::string submit(const convoy_submission& submission) {
    return refusal([&] { device_.submit(submission); });
  }
  std::string supports(const convoy_operation& operation) {
    return device_.refusal(operation).value_or("accepted");
  }

  convoy_layer layer{};
  convoy_node node{};
  convoy_graph graph{};
  convoy_compilation what{};

 private:
  const convoy_node* nodes_[1] = {&node};
  convoy_device_request request_{.struct_size = sizeof request_, .devices = 1, .threads = 1};
  plugin::PluginHost host_;
  plugin::DevicePlugin plugin_{host_.load_device(plugin::read_plugin(kFrozen / "inline_device.so")),
                               {}};
  plugin::OpenDevice device_{plugin_, request_, 0};
};

// What a host may say some day in fields that there are already.
TEST(Refusals, AFrozenDeviceRefusesFlagsAndKindsThatItDoesNotKnow) {
  FrozenDevice device;
  const auto unknown = HasSubstr("unknown to plug-in ABI 1.0");
  for (std::uint32_t* field : {&device.what.flags, &device.what.reserved}) {
    *field = 1u << 30;
    EXPECT_THAT(device.compile(), unknown);
    *field = 0;
  }
  convoy_operation operation{};
  operation.struct_size = sizeof(operation);
  operation.kind = CONVOY_OP_COPY;
  EXPECT_EQ(device.supports(operation), "accepted");
  for (std::uint32_t* field : {&operation.flags, &operation.reduction}) {
    *field = 1u << 30;
    EXPECT_THAT(device.supports(operation), unknown);
    *field = 0;
  }
  convoy_submission submission{};
  submission.struct_size = sizeof(submission);
  submission.kind = CONVOY_OP_COPY;
  submission.flags = 1u << 30;
  EXPECT_THAT(device.submit(submission), unknown);
}

#ifdef CONVOY_LATER

TEST(Refusals, ALaterHostReadsWhatALaterPluginSays) {
  EXPECT_EQ(plan_of_later_strategy("true"), "accepted");
  EXPECT_EQ(graph_of_later_model("true"), "accepted");
}

// Fields of the made-up later version are zero until a test sets one.
TEST(Refusals, AFrozenDeviceRefusesWhatALaterHostSays) {
  FrozenDevice device;
  EXPECT_EQ(device.compile(), "accepted");
  for (std::uint64_t* field : {&device.layer.later[0], &device.node.later[1],
                               &device.graph.later[0], &device.what.later[1]}) {
    *field = 1;
    EXPECT_THAT(device.compile(),
                AllOf(HasSubstr("is newer than plug-in ABI 1.0"),
                      HasSubstr("take a newer version of the plug-in"), HasSubstr("inline")));
    *field = 0;
  }
}

TEST(Refusals, AFrozenDeviceRefusesOperationsOfALaterHost) {
  FrozenDevice device;
  float value = 1;
  float copy = 0;
  const convoy_region read{&value, 1, CONVOY_F32, 0};
  const convoy_region write{&copy, 1, CONVOY_F32, 0};
  std::uint64_t timeline = 0;
  convoy_submission submission{};
  submission.struct_size = sizeof(submission);
  submission.kind = CONVOY_OP_COPY;
  submission.reads = &read;
  submission.writes = &write;
  submission.read_count = submission.write_count = 1;
  submission.timeline = &timeline;
  submission.value = 1;
  submission.later[0] = 1;
  EXPECT_THAT(device.submit(submission), HasSubstr("of convoy_submission is set"));
  EXPECT_EQ(timeline, 0u);
  submission.later[0] = 0;
  EXPECT_EQ(device.submit(submission), "accepted");
  EXPECT_EQ(timeline, 1u);
  EXPECT_EQ(copy, 1);
  convoy_operation operation{};
  operation.struct_size = sizeof(operation);
  operation.kind = CONVOY_OP_COPY;
  EXPECT_EQ(device.supports(operation), "accepted");
  operation.later[1] = 1;
  EXPECT_THAT(device.supports(operation), HasSubstr("of convoy_operation is set"));
}

#else

TEST(Refusals, ThisHostRefusesWhatALaterPluginSays) {
  EXPECT_EQ(plan_of_later_strategy("false"), "accepted");
  EXPECT_THAT(plan_of_later_strategy("true"),
              AllOf(HasSubstr("plain_strategy"), HasSubstr("of convoy_operation is set"),
                    HasSubstr("newer than plug-in ABI 1.0"), HasSubstr("update convoy")));
  EXPECT_EQ(graph_of_later_model("false"), "accepted");
  EXPECT_THAT(graph_of_later_model("true"),
              AllOf(HasSubstr("plain_model"), HasSubstr("of convoy_layer is set"),
                    HasSubstr("newer than plug-in ABI 1.0"), HasSubstr("update convoy")));
}

TEST(Refusals, AFrozenDeviceSeesFromItsOwnSizeOn) {
  FrozenDevice device;
  EXPECT_EQ(device.compile(), "accepted");
  device.layer.struct_size = 0;
  EXPECT_THAT(device.compile(), HasSubstr("struct_size of convoy_layer is 0"));
}

#endif

}  // namespace
}  // namespace convoy::testing
