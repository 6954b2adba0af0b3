#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "core/plugin/catalog.hpp"
#include "core/plugin/library.hpp"
#include "core/plugin/model_plugin.hpp"
#include "core/plugin/strategy_plugin.hpp"

namespace convoy {
namespace {

FoundPlugin old_plugin(const char* file) {
  return read_plugin(std::filesystem::path(CONVOY_OLD_PLUGINS) / file);
}

// Records what a strategy writes.
struct Recorder {
  std::uint32_t replicas = 2;
  std::vector<convoy_buffer> buffers;
  std::vector<convoy_operation> operations;
  std::vector<convoy_span> writes;

  static Recorder& of(void* self) { return *static_cast<Recorder*>(self); }

  convoy_planner planner() {
    convoy_planner table{};
    table.struct_size = sizeof table;
    table.self = this;
    table.cluster = [](void* self, convoy_cluster* out) {
      out->replicas = of(self).replicas;
      out->arena_elements = 1000;
      return 0;
    };
    table.buffer = [](void* self, const convoy_buffer* description, std::uint32_t* id) {
      *id = 7;
      of(self).buffers.push_back(*description);
      return 0;
    };
    table.emit = [](void* self, const convoy_operation* operation) {
      of(self).operations.push_back(*operation);
      of(self).writes.push_back(operation->writes[0]);
      return 0;
    };
    return table;
  }
};

TEST(OldStrategy, PlansInThisHost) {
  PluginHost host;
  StrategyPlugin strategy(host.load_strategy(old_plugin("old_strategy.so")), {{"value", "0.75"}});
  Recorder recorder;
  strategy.plan(recorder.planner());
  ASSERT_EQ(recorder.operations.size(), 1u);
  EXPECT_EQ(recorder.operations[0].kind, CONVOY_OP_FILL);
  EXPECT_EQ(recorder.operations[0].scalar, 0.75);
  EXPECT_EQ(recorder.writes[0].buffer, 7u);
  EXPECT_EQ(recorder.writes[0].count, 1000u);
  EXPECT_EQ(recorder.buffers[0].kind, CONVOY_BUFFER_SCRATCH);
}

TEST(OldStrategy, SeesDefaultsAndLogsAndReportsErrors) {
  PluginHost host;
  std::string logged;
  StrategyPlugin strategy(
      host.load_strategy(old_plugin("old_strategy.so")), {},
      [&](std::int32_t, std::string_view, std::string_view text) { logged = text; });
  EXPECT_EQ(logged, "old strategy created");
  EXPECT_EQ(strategy.options().at("value"), "2.5");
  EXPECT_FALSE(strategy.kernel("any", CONVOY_KERNEL_HOST).has_value());
  Recorder recorder;
  recorder.replicas = 0;
  try {
    strategy.plan(recorder.planner());
    FAIL() << "a plan without replicas was accepted";
  } catch (const Error& error) {
    const std::string text = error.what();
    EXPECT_EQ(error.code(), ExitCode::kFailed);
    EXPECT_NE(text.find("old_strategy"), std::string::npos) << text;
    EXPECT_NE(text.find("planning failed: there is no replica"), std::string::npos) << text;
  }
}

TEST(OldModel, DescribesItselfInThisHost) {
  PluginHost host;
  ModelPlugin model(host.load_model(old_plugin("old_model.so")), {});
  const convoy_model_info info = model.info();
  EXPECT_EQ(info.image_size, 28u);
  EXPECT_EQ(info.batch_size, 16u);
  EXPECT_STREQ(info.dataset, "cifar10");
  EXPECT_EQ(info.rate.base, 0.125);

  std::vector<std::uint32_t> kinds;
  convoy_graph_builder builder{};
  builder.struct_size = sizeof builder;
  builder.self = &kinds;
  builder.add = [](void* self, const convoy_layer* layer, std::uint32_t* id) {
    auto& added = *static_cast<std::vector<std::uint32_t>*>(self);
    added.push_back(layer->kind);
    *id = static_cast<std::uint32_t>(added.size());
    return 0;
  };
  model.build(builder);
  EXPECT_EQ(kinds, (std::vector<std::uint32_t>{CONVOY_LAYER_CONVOLUTION, CONVOY_LAYER_MEAN_LOSS}));
}

}  // namespace
}  // namespace convoy
