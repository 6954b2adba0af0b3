// Trainings on CUDA devices whose results must not depend on whether steps are replayed as graphs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.hpp"
#include "core/runtime/session.hpp"
#include "tests/devices/cuda/cuda_training.hpp"
#include "tests/runtime/plugins.hpp"
#include "tests/runtime/small_models.hpp"
#include "tests/runtime/training.hpp"

namespace convoy::testing {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

constexpr std::int64_t kSteps = 10;

class GraphReplay : public ::testing::Test {
 protected:
  void SetUp() override {
    PluginHost host;
    emulated_launches();
    try {
      const DevicePlugin plugin(host.load_device(found_under_test()), {{"gpu_indices", "0"}});
      static_cast<void>(plugin.count({sizeof(convoy_device_request), 0, 0}));
    } catch (const Error& error) {
      GTEST_SKIP() << "no CUDA device can be used: " << error.what();
    }
  }

  // With graphs, once it gave the same as without.
  static CudaOutcome compare(CudaTraining how, const Graph& graph) {
    how.steps = kSteps;
    const CudaOutcome plain = train_on(how, graph);
    how.cuda_graph = "on";
    const CudaOutcome graphs = train_on(how, graph);
    EXPECT_NE(plain.losses.front(), plain.losses.back()) << "it does train";
    EXPECT_EQ(graphs.losses, plain.losses) << how.strategy << " on " << how.gpus;
    EXPECT_EQ(graphs.hash, plain.hash) << how.strategy << " on " << how.gpus;
    EXPECT_EQ(graphs.top_1, plain.top_1);
    EXPECT_THAT(graphs.log, Contains(HasSubstr("CUDA graphs replay every step as one launch")));
    return graphs;
  }

  // A step's launches in the steady state; {0, 0} where devices count nothing.
  static std::array<std::uint64_t, 2> steady(const CudaOutcome& outcome) {
    const std::array<std::uint64_t, 2> last = outcome.launches.back();
    if (last[0] + last[1] == 0) return last;
    std::array<std::uint64_t, 2> sum{};
    for (std::size_t i = kSteps - 2; i < kSteps; ++i)
      for (std::size_t kind = 0; kind < 2; ++kind) sum[kind] += outcome.launches[i][kind];
    return {sum[0] / 2, sum[1] / 2};
  }
};

// What is beside the graph: the copies of images and labels.
TEST_F(GraphReplay, IsOneLaunchPerStepOnOneDevice) {
  CudaTraining how;
  how.gpus = "0";
  for (const auto& [strategy, options] :
       {std::pair("independent", OptionValues{}), std::pair("replicated", how.options)}) {
    how.strategy = strategy;
    how.options = options;
    how.optimizer = CONVOY_OPTIMIZER_ADAM;  // its learning rate is another one in every step
    const auto launches = steady(compare(how, normalised_network()));
    if (launches[0] + launches[1] == 0) continue;
    EXPECT_EQ(launches[0], 1u) << strategy;
    EXPECT_EQ(launches[1], 2u) << strategy;
  }
}

TEST_F(GraphReplay, IsOneLaunchPerStepAndDeviceWhenDevicesAreIndependent) {
  CudaTraining how;
  how.strategy = "independent";
  how.options = {};
  const auto launches = steady(compare(how, small_network()));
  if (launches[0] + launches[1] == 0) return;
  EXPECT_EQ(launches[0], 2u);
  EXPECT_EQ(launches[1], 4u);
}

TEST_F(GraphReplay, GivesTheSameBitsWhereDevicesExchange) {
  CudaTraining how;
  how.optimizer = CONVOY_OPTIMIZER_ADAM;
  for (const auto& [strategy, options] :
       {std::pair("replicated", how.options), std::pair("parameter_server", OptionValues{}),
        std::pair("replicated", OptionValues{{"all_reduce_spec", "pscpu"}})}) {
    how.strategy = strategy;
    how.options = options;
    const CudaOutcome plain = train_on(how, normalised_network());
    const auto launches = steady(compare(how, normalised_network()));
    if (launches[0] + launches[1] == 0) continue;
    EXPECT_GE(launches[0], 4u) << strategy << ": forward and backward of both";
    EXPECT_LT(launches[0] + launches[1], plain.launches.back()[1] / 2) << strategy;
  }
}

TEST_F(GraphReplay, GivesTheSameWithEvaluationsBetweenTheSteps) {
  CudaTraining how;
  how.gpus = "0";
  how.strategy = "independent";
  how.options = {};
  how.evaluates = true;
  EXPECT_EQ(compare(how, normalised_network()).top_1.size(), 2u);
}

// The memory of one plan serves the next one: nothing that was recorded may be used for it.
TEST_F(GraphReplay, GivesTheSameWhenPlansAreExchanged) {
  const auto train_in_turns = [](const std::string& cuda_graph) {
    PluginHost host;
    const DevicePlugin plugin(host.load_device(found_under_test()),
                              {{"gpu_indices", "0,0"}, {"cuda_graph", cuda_graph}});
    const auto replicated = strategy_plugin(host, "replicated");
    const auto server = strategy_plugin(host, "parameter_server");
    SessionOptions options;
    options.devices = 2;
    options.batch = 2;
    options.bucket_elements = 512;
    options.optimizer.struct_size = sizeof options.optimizer;
    options.optimizer.kind = CONVOY_OPTIMIZER_MOMENTUM;
    options.optimizer.state_slots = 1;
    options.optimizer.momentum = 0.9;
    options.optimizer.gradient_scale = 1;
    Session session(small_network(), *replicated, plugin, options);
    const std::vector<std::shared_ptr<const PreparedPlan>> plans = {
        session.plan(), session.prepare(*server, options.bucket_elements)};
    std::vector<double> losses;
    TrainingEvents events;
    events.timed_step = [&](const TrainingStep& step) { losses.push_back(step.total_loss); };
    std::size_t turn = 0;
    events.plan_changes_after = [](const PausePoint& point) { return point.global_step % 8 == 0; };
    events.change_plan = [&](const PausePoint& point) {
      session.exchange_plan(plans[++turn % 2], point.global_step);
    };
    const auto source = hash_images(2, 4);
    run_training(session, *source, constant_rate(0.05), {0, 30, 0}, events);
    return losses;
  };
  EXPECT_EQ(train_in_turns("on"), train_in_turns("off"));
}

}  // namespace
}  // namespace convoy::testing
