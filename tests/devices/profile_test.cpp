#include <gtest/gtest.h>

#include <set>

#include "core/conformance/layer_networks.hpp"
#include "core/conformance/training_case.hpp"
#include "tests/devices/device_under_test.hpp"

namespace convoy::test {
namespace {

// A convolution in front of whatever the network is about.
LayerNetwork network() {
  return layer_networks().front();
}

bool owns_weights(const graph::GraphNode& node) {
  return node.layer.kind == CONVOY_LAYER_CONVOLUTION ||
         node.layer.kind == CONVOY_LAYER_FULLY_CONNECTED;
}

std::vector<convoy_profile_record> kernels_of(const TrainingCase& training) {
  std::vector<convoy_profile_record> kernels;
  for (const convoy_profile_record& record : training.profile())
    if (record.role == CONVOY_PROFILE_KERNEL) kernels.push_back(record);
  return kernels;
}

TEST(Profile, TellsOfBothPassesOfEveryLayerWithWeights) {
  DeviceUnderTest device;
  TrainingCase training(device, network().build(), {.flags = CONVOY_COMPILE_PROFILE});
  constexpr std::uint64_t kSteps = 3;
  for (std::uint64_t step = 0; step < kSteps; ++step) {
    training.forward(step);
    training.backward(step);
  }
  std::set<std::pair<std::uint32_t, std::uint32_t>> passes;
  for (const convoy_profile_record& record : kernels_of(training)) {
    passes.emplace(record.node, record.pass);
    EXPECT_EQ(record.calls % kSteps, 0u) << "node " << record.node;
    EXPECT_GE(record.seconds, 0) << "node " << record.node;
    EXPECT_LE(record.recent_start[0], record.recent_end[0]) << "node " << record.node;
    EXPECT_STRNE(record.implementation, "") << "node " << record.node;
  }
  const std::vector<graph::GraphNode>& nodes = training.graph().nodes();
  for (std::uint32_t node = 0; node < nodes.size(); ++node) {
    if (!owns_weights(nodes[node])) continue;
    EXPECT_TRUE(passes.contains({node, CONVOY_PASS_FORWARD})) << "node " << node;
    EXPECT_TRUE(passes.contains({node, CONVOY_PASS_BACKWARD_WEIGHTS})) << "node " << node;
  }
}

TEST(Profile, ChangesNoBit) {
  DeviceUnderTest device;
  TrainingCase plain(device, network().build(), {});
  TrainingCase profiled(device, network().build(), {.flags = CONVOY_COMPILE_PROFILE});
  for (TrainingCase* training : {&plain, &profiled}) {
    training->forward();
    training->backward();
  }
  EXPECT_EQ(plain.loss, profiled.loss);
  for (std::uint64_t i = 0; i < plain.parameters.size(); ++i)
    EXPECT_EQ(plain.gradient(i), profiled.gradient(i)) << "variable " << i;
}

TEST(Profile, IsRefusedWhereNoneWasKept) {
  DeviceUnderTest device;
  const TrainingCase plain(device, network().build(), {});
  EXPECT_THROW(plain.profile(), std::runtime_error);
}

}  // namespace
}  // namespace convoy::test
