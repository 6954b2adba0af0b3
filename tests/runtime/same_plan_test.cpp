// What those who look at a plan make of open devices is what a session on them executes.
#include <gtest/gtest.h>

#include <set>

#include "core/runtime/model_map.hpp"
#include "core/runtime/session.hpp"
#include "core/runtime/storage.hpp"
#include "core/train/optimizer.hpp"
#include "tests/devices/fake/fake_device.hpp"
#include "tests/runtime/plugins.hpp"
#include "tests/runtime/small_models.hpp"

namespace convoy::testing {
namespace {

using runtime::SessionOptions;

struct Way {
  std::string strategy;
  plugin::OptionValues options = {};
};

const Way kWays[] = {{"independent"},
                     {"parameter_server"},
                     {"parameter_server", {{"local_parameter_device", "cpu"}}},
                     {"replicated"},
                     {"replicated", {{"all_reduce_spec", "xring"}}},
                     {"replicated", {{"variable_consistency", "relaxed"}}}};

SessionOptions options_with(const plan::GuardOptions& guards) {
  SessionOptions options;
  options.batch = 2;
  options.bucket_elements = 500;
  options.optimizer = train::make_optimizer({}, 2);
  options.guard = guards;
  return options;
}

std::string hash_of_session(const Way& way, const plugin::DevicePlugin& plugin,
                            const plan::GuardOptions& guards) {
  plugin::PluginHost host;
  const auto strategy = strategy_plugin(host, way.strategy, way.options);
  const runtime::Session session(small_network(), *strategy,
                                 std::make_shared<runtime::OpenDevices>(plugin, 2, 1),
                                 options_with(guards));
  return session.plan()->step.hash();
}

std::string hash_from_outside(const Way& way, const plugin::DevicePlugin& plugin,
                              const plan::GuardOptions& guards) {
  plugin::PluginHost host;
  const auto strategy = strategy_plugin(host, way.strategy, way.options);
  const graph::Graph graph = small_network();
  const SessionOptions options = options_with(guards);
  const runtime::OpenDevices devices(plugin, 2, 1);
  const graph::Arena arena = runtime::choose_storage(graph, devices, options, false);
  return plan::StepPlan(devices.cluster(),
                        runtime::make_arena_map(graph, arena, options.bucket_elements),
                        runtime::author_of(*strategy), {.guard = guards})
      .hash();
}

TEST(SamePlan, OnFakeDevicesOfEveryKind) {
  plan::GuardOptions clipped;
  clipped.clip_norm = 1;
  for (const Way& way : kWays) {
    std::set<std::string> hashes;
    for (const bool shared : {true, false})
      for (const bool joins : {true, false})
        for (const plan::GuardOptions& guards : {plan::GuardOptions{}, clipped}) {
          const auto plugin = fake_plugin({.shared_memory = shared, .joins_updates = joins});
          const std::string hash = hash_of_session(way, *plugin, guards);
          EXPECT_EQ(hash_from_outside(way, *plugin, guards), hash)
              << way.strategy << ", shared memory " << shared << ", joins updates " << joins
              << ", clip " << guards.clip_norm;
          hashes.insert(hash);
        }
    EXPECT_GE(hashes.size(), 2u) << way.strategy;
  }
}

}  // namespace
}  // namespace convoy::testing
