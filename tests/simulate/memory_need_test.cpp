// What the simulator thinks that a plan needs, beside what CPU devices take.
#include "core/simulate/memory_need.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/runtime/session.hpp"
#include "core/simulate/machine_builder.hpp"
#include "core/train/optimizer.hpp"
#include "tests/models/plugin_graph.hpp"
#include "tests/runtime/plugins.hpp"

namespace convoy::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Case {
  const char* model;
  std::uint32_t batch;
  const char* strategy;
  OptionValues values;
};

std::uint64_t sum(const MemoryUse& use) {
  return use.parameters + use.gradients + use.optimizer_state + use.plan_buffers + use.activations +
         use.scratch;
}

simulate::SimulatedMachine machine_with(std::uint32_t devices, std::uint64_t memory_bytes) {
  simulate::SimulatedHost host;
  host.memory_bytes = memory_bytes;
  return simulate::make_cpu_cluster(devices, {}, host).machine;
}

class MemoryNeeds : public ::testing::TestWithParam<Case> {};

TEST_P(MemoryNeeds, AreWhatCpuDevicesTake) {
  PluginHost host;
  const auto devices = cpu_plugin(host);
  const auto strategy = strategy_plugin(host, GetParam().strategy, GetParam().values);
  SessionOptions options;
  options.devices = 2;
  options.threads = 1;
  options.batch = GetParam().batch;
  options.hash_initializer = true;
  OptimizerOptions optimizer;
  optimizer.kind = CONVOY_OPTIMIZER_MOMENTUM;
  options.optimizer = make_optimizer(optimizer, options.devices);
  const Session session(test::load_model(GetParam().model).graph, *strategy, *devices, options);
  const simulate::SimulatedMachine machine = machine_with(options.devices, 0);
  const auto needs = simulate::memory_needs(session.lowered_plan(), session.graph(), options.batch,
                                            1, false, machine);
  const std::vector<MemoryUse> use = session.memory_use();
  ASSERT_EQ(needs.size(), use.size());
  std::uint64_t needed = 0;
  std::uint64_t taken = 0;
  for (std::size_t place = 0; place < use.size(); ++place) {
    needed += needs[place].total();
    taken += sum(use[place]);
    const double variables =
        static_cast<double>(use[place].parameters + use[place].gradients + use[place].plan_buffers);
    EXPECT_NEAR(static_cast<double>(needs[place].buffers), variables, 0.02 * variables) << place;
    const auto state = static_cast<double>(use[place].optimizer_state);
    EXPECT_NEAR(static_cast<double>(needs[place].optimizer_state), state, 0.02 * state) << place;
    const auto activations = static_cast<double>(use[place].activations + use[place].scratch);
    // What kernels need for themselves is no more than some megabytes.
    EXPECT_GE(static_cast<double>(needs[place].activations), 0.85 * activations - 10e6) << place;
    EXPECT_LE(static_cast<double>(needs[place].activations), 1.25 * activations + 8e6) << place;
  }
  const double ratio = static_cast<double>(needed) / static_cast<double>(taken);
  RecordProperty("needed_over_taken", std::to_string(ratio));
  EXPECT_GT(ratio, 0.95);
  EXPECT_LT(ratio, 1.15);
}

INSTANTIATE_TEST_SUITE_P(
    Models, MemoryNeeds,
    ::testing::Values(Case{"alexnet", 8, "replicated", {}},
                      Case{"resnet50", 4, "parameter_server", {}},
                      Case{"inception3", 2, "replicated", {{"all_reduce_spec", "xring"}}},
                      Case{"mobilenet", 4, "replicated", {{"all_reduce_spec", "pscpu"}}}),
    [](const auto& it) { return std::string(it.param.model); });

TEST(MemoryProblem, OfAHostIsThatOfAllItsCpuDevices) {
  simulate::SimulatedHost host;
  host.memory_bytes = 1000;
  const simulate::SimulatedCluster two = simulate::make_cpu_cluster(2, {}, host);
  const auto need = [](std::uint64_t buffers, std::uint64_t activations) {
    simulate::MemoryNeed result;
    result.buffers = buffers;
    result.activations = activations;
    return result;
  };
  EXPECT_THAT(simulate::memory_problem({need(400, 0), need(0, 500), {}}, two.cluster, two.machine),
              IsEmpty());
  EXPECT_THAT(simulate::memory_problem({need(400, 0), need(0, 500), need(200, 0)}, two.cluster,
                                       two.machine),
              HasSubstr("host:0 has"));
}

}  // namespace
}  // namespace convoy::testing
