// Trainings on CUDA devices whose results must not depend on whether steps are replayed as graphs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/runtime/session.hpp"
#include "tests/devices/cuda/cuda_training.hpp"
#include "tests/runtime/plugins.hpp"
#include "tests/runtime/small_models.hpp"
#include "tests/runtime/training.hpp"

namespace convoy::testing {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

constexpr std::int64_t kSteps = 8;

class GraphReplay : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string reason = why_no_gpus("0"); !reason.empty())
      GTEST_SKIP() << "no CUDA device can be used: " << reason;
  }

  // Without graphs and with them, once both gave the same.
  static std::pair<CudaOutcome, CudaOutcome> compare(CudaTraining how, const graph::Graph& graph) {
    how.steps = kSteps;
    how.batch = 1;
    const CudaOutcome plain = train_on(how, graph);
    how.cuda_graph = "on";
    const CudaOutcome graphs = train_on(how, graph);
    EXPECT_NE(plain.losses.front(), plain.losses.back()) << "it does train";
    EXPECT_EQ(graphs.losses, plain.losses) << how.strategy << " on " << how.gpus;
    EXPECT_EQ(graphs.hash, plain.hash) << how.strategy << " on " << how.gpus;
    EXPECT_EQ(graphs.top_1, plain.top_1);
    EXPECT_THAT(graphs.log, Contains(HasSubstr("CUDA graphs replay every step as one launch")));
    EXPECT_EQ(plain.launches[0], 0u);
    EXPECT_EQ(plain.launches[2], 0u) << "waits for memory that is not pinned";
    EXPECT_EQ(graphs.launches[2], 0u);
    return {plain, graphs};
  }
};

// Whether devices count launches: emulated ones do.
bool counts(const CudaOutcome& outcome) {
  return outcome.launches[0] + outcome.launches[1] > 0;
}

// What is beside the graph: the copies of images and labels.
TEST_F(GraphReplay, IsOneLaunchPerStepOnOneDevice) {
  CudaTraining how;
  how.gpus = "0";
  how.optimizer = CONVOY_OPTIMIZER_ADAM;  // its learning rate is another one in every step
  const auto [plain, graphs] = compare(how, normalised_network());
  if (!counts(graphs)) return;
  EXPECT_EQ(graphs.launches[0], 2u);
  EXPECT_EQ(graphs.launches[1], 2 * 2u);
}

TEST_F(GraphReplay, IsOneLaunchPerStepAndDeviceWhenDevicesAreIndependent) {
  CudaTraining how;
  how.strategy = "independent";
  how.options = {};
  const auto [plain, graphs] = compare(how, small_network());
  if (!counts(graphs)) return;
  EXPECT_EQ(graphs.launches[0], 2 * 2u);
  EXPECT_EQ(graphs.launches[1], 2 * 2 * 2u);
}

// Among themselves, and by a place of the host.
TEST_F(GraphReplay, GivesTheSameBitsWhereDevicesExchange) {
  CudaTraining how;
  for (const char* spec : {"collective", "pscpu"}) {
    how.options = {{"all_reduce_spec", spec}};
    const auto [plain, graphs] = compare(how, small_network());
    if (!counts(graphs)) continue;
    EXPECT_GE(graphs.launches[0], 2 * 2u) << spec;
    EXPECT_LT(graphs.launches[0] + graphs.launches[1], 3 * plain.launches[1] / 4) << spec;
  }
}

TEST_F(GraphReplay, GivesTheSameWithEvaluationsBetweenTheSteps) {
  CudaTraining how;
  how.gpus = "0";
  how.strategy = "independent";
  how.options = {};
  how.evaluates = true;
  EXPECT_EQ(compare(how, normalised_network()).second.top_1.size(), 2u);
}

// The memory of one plan serves the next one: nothing that was recorded may be used for it.
TEST_F(GraphReplay, GivesTheSameWhenPlansAreExchanged) {
  const auto train_in_turns = [](const std::string& cuda_graph) {
    plugin::PluginHost host;
    const plugin::DevicePlugin plugin(host.load_device(found_under_test()),
                                      {{"gpu_indices", "0,0"}, {"cuda_graph", cuda_graph}});
    const auto replicated = strategy_plugin(host, "replicated");
    const auto server = strategy_plugin(host, "parameter_server");
    runtime::SessionOptions options;
    options.batch = 1;
    options.bucket_elements = 512;
    options.optimizer.struct_size = sizeof options.optimizer;
    options.optimizer.kind = CONVOY_OPTIMIZER_MOMENTUM;
    options.optimizer.state_slots = 1;
    options.optimizer.momentum = 0.9;
    options.optimizer.gradient_scale = 1;
    runtime::Session session(small_network(), *replicated, open_devices(plugin, 2), options);
    const std::vector<std::shared_ptr<const runtime::PreparedPlan>> plans = {
        session.plan(), session.prepare(*server, options.bucket_elements)};
    std::vector<double> losses;
    runtime::TrainingEvents events;
    events.timed_step = [&](const TrainingStep& step) { losses.push_back(step.total_loss); };
    std::size_t turn = 0;
    events.plan_changes_after = [](const runtime::PausePoint& point) {
      return point.global_step % 6 == 0;
    };
    events.change_plan = [&](const runtime::PausePoint& point) {
      EXPECT_FALSE(session.exchange_plan(plans[++turn % 2], point.global_step));
    };
    const auto source = hash_images(2, 2);
    runtime::run_training(session, *source, constant_rate(0.05), {0, 14, 0}, events);
    return losses;
  };
  EXPECT_EQ(train_in_turns("on"), train_in_turns("off"));
}

}  // namespace
}  // namespace convoy::testing
