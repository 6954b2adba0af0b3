// Where replicated sums each pack. What the sums amount to is the trajectory tests' business.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/plan/sample_models.hpp"
#include "tests/strategies/strategy_under_test.hpp"

namespace convoy::testing {
namespace {

using ::testing::ElementsAre;

// A model of 6 packs of 40 elements.
const plan::ArenaMap& six_packs() {
  static const plan::ArenaMap kArena = [] {
    plan::ArenaMap result = large_arena(240, 6, 6);
    result.buckets.clear();
    for (std::uint64_t i = 0; i < 6; ++i) result.buckets.push_back({40 * i, 40});
    return result;
  }();
  return kArena;
}

std::vector<plan::Operation> operations(plan::OperationKind kind, std::uint32_t devices,
                                        const plugin::OptionValues& options) {
  const plan::Cluster cluster = plan::make_single_host(devices, true, "cpu");
  const plan::Plan plan = StrategyUnderTest("replicated", options).plan(cluster, six_packs());
  std::vector<plan::Operation> result;
  for (const plan::Operation& operation : plan.body)
    if (operation.kind == kind) result.push_back(operation);
  return result;
}

std::vector<std::uint32_t> sum_places(std::uint32_t devices, const plugin::OptionValues& options) {
  std::vector<std::uint32_t> places;
  for (const plan::Operation& sum : operations(plan::OperationKind::kSum, devices, options))
    places.push_back(sum.place);
  return places;
}

TEST(GradientReducers, WithoutASpecThePacksTakeTurns) {
  EXPECT_THAT(sum_places(4, {}), ElementsAre(0, 1, 2, 3, 0, 1));
  EXPECT_THAT(sum_places(4, {{"local_parameter_device", "cpu"}}), ElementsAre(4, 4, 4, 4, 4, 4));
  EXPECT_THAT(sum_places(4, {{"all_reduce_spec", "pscpu"}}), ElementsAre(4, 4, 4, 4, 4, 4));
}

TEST(GradientReducers, ShardGroupsAreFilledCyclically) {
  EXPECT_THAT(sum_places(5, {{"all_reduce_spec", "psgpu#2"}}),
              ElementsAre(0, 3, 1, 4, 2, 0, 0, 3, 1, 4, 2, 0));
  EXPECT_THAT(sum_places(8, {{"all_reduce_spec", "psgpu#4"}}),
              ElementsAre(0, 2, 4, 6, 1, 3, 5, 7, 0, 2, 4, 6, 1, 3, 5, 7, 0, 2, 4, 6, 1, 3, 5, 7));
}

TEST(GradientReducers, ShardsCoverThePackExactly) {
  for (const std::string spec : {"psgpu#3", "xring#3"}) {
    const auto kind = spec[0] == 'x' ? plan::OperationKind::kAllReduce : plan::OperationKind::kSum;
    const std::vector<plan::Operation> shards = operations(kind, 3, {{"all_reduce_spec", spec}});
    ASSERT_EQ(shards.size(), 18u) << spec;
    std::uint64_t next = 0;
    for (const plan::Operation& shard : shards) {
      ASSERT_EQ(shard.reads.size(), 3u) << spec;
      for (const plan::PlanSpan& read : shard.reads) EXPECT_EQ(read.first, next) << spec;
      EXPECT_GE(shard.reads.front().count, 13u) << spec;
      next += shard.reads.front().count;
    }
    EXPECT_EQ(next, 240u) << spec;
  }
}

TEST(GradientReducers, ShardsOfARingStartAtDifferentDevices) {
  const auto first_places = [](const std::string& spec) {
    std::vector<std::uint32_t> owners;
    const plan::Cluster cluster = plan::make_single_host(4, true, "cpu");
    const plan::Plan plan =
        StrategyUnderTest("replicated", {{"all_reduce_spec", spec}, {"gradient_repacking", "1"}})
            .plan(cluster, six_packs());
    for (const plan::Operation& operation : plan.body)
      if (operation.kind == plan::OperationKind::kAllReduce)
        owners.push_back(plan.buffers[operation.reads.front().buffer].owner);
    return owners;
  };
  EXPECT_THAT(first_places("xring#4"), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(first_places("xring#2"), ElementsAre(0, 2));
  EXPECT_THAT(first_places("collective#2"), ElementsAre(0, 2));
}

TEST(GradientReducers, SpecsNameTheAlgorithmOfTheCollective) {
  const auto algorithm = [](const std::string& spec) {
    return operations(plan::OperationKind::kAllReduce, 2, {{"all_reduce_spec", spec}})
        .front()
        .algorithm;
  };
  EXPECT_EQ(algorithm("xring"), std::uint32_t{CONVOY_ALGORITHM_RING});
  EXPECT_EQ(algorithm("collective"), std::uint32_t{CONVOY_ALGORITHM_DEVICE});
}

TEST(GradientReducers, HierarchiesSumEachHalfOnItsSideOfTheBridge) {
  for (const std::uint32_t devices : {2u, 3u, 4u, 5u, 8u}) {
    const std::uint32_t half = (devices + 1) / 2;
    const auto sums =
        operations(plan::OperationKind::kSum, devices, {{"hierarchical_copy", "true"}});
    ASSERT_EQ(sums.size(), 12u) << devices << " devices";
    for (std::size_t i = 0; i < sums.size(); i += 2) {
      EXPECT_EQ(sums[i].reads.size() + sums[i + 1].reads.size(), devices);
      EXPECT_EQ(sums[i].place, i / 2 % devices) << devices << " devices";
      EXPECT_NE(sums[i].place < half, sums[i + 1].place < half) << devices << " devices";
      for (const plan::Operation& sum : {sums[i], sums[i + 1]})
        EXPECT_EQ(sum.reads.size(), sum.place < half ? half : devices - half);
    }
  }
}

TEST(GradientReducers, GcpV100HasFourBridges) {
  EXPECT_THAT(sum_places(8, {{"hierarchical_copy", "true"}, {"network_topology", "gcp_v100"}}),
              ElementsAre(0, 5, 2, 7, 5, 0, 7, 2, 0, 5, 2, 7));
}

}  // namespace
}  // namespace convoy::testing
