#include "core/runtime/breakdown_meter.hpp"

#include <gtest/gtest.h>

#include <utility>

#include "core/base/error.hpp"
#include "core/plan/host_cluster.hpp"
#include "tests/devices/fake/fake_device.hpp"
#include "tests/runtime/plugins.hpp"
#include "tests/runtime/small_models.hpp"
#include "tests/runtime/training.hpp"

namespace convoy::testing {
namespace {

using runtime::BreakdownMeter;
using runtime::StepBreakdown;

// Two devices; operation 0 and 1 compute on them, 2 is an update.
class Breakdown : public ::testing::Test {
 protected:
  void SetUp() override {
    cluster_ = plan::make_single_host(2, true, "device");
    plan_.cluster = &cluster_;
    for (std::uint32_t id = 0; id < 3; ++id) {
      plan::Operation operation;
      operation.id = id;
      operation.kind = id < 2 ? plan::OperationKind::kForward : plan::OperationKind::kApply;
      operation.replica = id < 2 ? id : CONVOY_NONE;
      plan_.body.push_back(operation);
    }
  }

  plan::Cluster cluster_;
  plan::Plan plan_;
};

TEST_F(Breakdown, DividesAStepAmongItsFourParts) {
  BreakdownMeter meter(plan_, {0, {0, 1}, plan_.body.size()});
  meter.waited_for_input({7, 8.5});
  meter.finished({{0, {0, 4}}, {1, {1, 3}}, {2, {4, 6}}}, {0, 10});
  const StepBreakdown step = meter.mean_step();
  EXPECT_EQ(step.steps, 1);
  EXPECT_DOUBLE_EQ(step.seconds, 10);
  EXPECT_DOUBLE_EQ(step.compute, 3);      // 4 and 2
  EXPECT_DOUBLE_EQ(step.aggregation, 3);  // busy until 6
  EXPECT_DOUBLE_EQ(step.input_wait, 1.5);
  EXPECT_DOUBLE_EQ(step.executor, 2.5);
  EXPECT_EQ(step.operations.at("forward").per_step, 2);
  EXPECT_DOUBLE_EQ(step.operations.at("apply").seconds, 2);
}

TEST_F(Breakdown, CountsWhatTheNextStepDidBeforeThisOneEnded) {
  BreakdownMeter meter(plan_, {0, {0, 1}, plan_.body.size()});
  meter.finished({{0, {0, 4}}, {1, {0, 4}}, {2, {4, 10}}}, {0, 10});
  meter.finished({{0, {5, 12}}, {1, {5, 12}}, {2, {12, 14}}}, {10, 14});
  const StepBreakdown step = meter.mean_step();
  EXPECT_EQ(step.steps, 2);
  EXPECT_DOUBLE_EQ(step.compute, (4 + 5 + 2) / 2.0);
  EXPECT_DOUBLE_EQ(step.aggregation, (1 + 2) / 2.0);
  EXPECT_DOUBLE_EQ(step.executor, 0);
}

TEST_F(Breakdown, LeavesOutStepsThatDoNotCount) {
  BreakdownMeter meter(plan_, {0, {0, 1}, plan_.body.size()});
  meter.finished({{0, {0, 4}}}, {});
  EXPECT_EQ(meter.mean_step().steps, 0);
  EXPECT_EQ(meter.mean_step().seconds, 0);
}

TEST(ProfiledSession, SaysWhyDevicesWithoutTimesCannotHaveAProfile) {
  plugin::PluginHost host;
  const auto devices = fake_plugin();
  const auto strategy = strategy_plugin(host, "replicated");
  runtime::SessionOptions options;
  options.profile = true;
  try {
    const runtime::Session session(two_scalars(), *strategy, open_devices(*devices, 1), options);
    FAIL() << "a fake device was profiled";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("keeps no times of layers"), std::string::npos)
        << error.what();
  }
  runtime::OpenDevices open(*devices, 1, 1);
  EXPECT_THROW(open.measure(CONVOY_MEASURE_STREAM), Error);
}

// Host 0 computes until 4, while something comes from host 1 until 7 and goes to host 2 until 8.
TEST(BreakdownOfSeveralHosts, TellsForWhichOneNothingRan) {
  const plan::Cluster cluster = plan::make_hosts({3, 1, true, "cpu", {}});
  plan::Plan plan;
  plan.cluster = &cluster;
  plan.computes = 1;
  for (const std::uint32_t place : {3u, 4u, 5u})
    plan.buffers.push_back({CONVOY_BUFFER_SCRATCH, place, 0, CONVOY_F32, 8, place});
  plan::Operation forward;
  forward.kind = plan::OperationKind::kForward;
  forward.replica = 0;
  plan.body.push_back(forward);
  for (const auto& [from, to] : {std::pair(1u, 0u), std::pair(0u, 2u)}) {
    plan::Operation copy;
    copy.id = static_cast<std::uint32_t>(plan.body.size());
    copy.lane = plan::kNetworkLane;
    copy.reads = {{from, CONVOY_F32, 0, 8}};
    copy.writes = {{to, CONVOY_F32, 0, 8}};
    plan.body.push_back(copy);
  }
  BreakdownMeter meter(plan, {0, {0}, plan.body.size()});
  meter.finished({{0, {0, 4}}, {1, {3, 7}}, {2, {6, 8}}}, {0, 10});
  const StepBreakdown step = meter.mean_step();
  EXPECT_DOUBLE_EQ(step.compute, 4);
  EXPECT_DOUBLE_EQ(step.aggregation, 0);
  EXPECT_DOUBLE_EQ(step.network, 4);
  EXPECT_DOUBLE_EQ(step.executor, 2);
  EXPECT_DOUBLE_EQ(step.network_by_host.at(1), 3);
  EXPECT_DOUBLE_EQ(step.network_by_host.at(2), 2);
}

}  // namespace
}  // namespace convoy::testing
