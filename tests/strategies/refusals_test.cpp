// What a strategy cannot do on a cluster is refused at planning, with the value and the reason.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.hpp"
#include "tests/plan/sample_models.hpp"
#include "tests/strategies/strategy_under_test.hpp"

namespace convoy::testing {
namespace {

using ::testing::HasSubstr;

template <typename Action>
void expect_error(ExitCode code, std::initializer_list<std::string> parts, Action action) {
  try {
    action();
    ADD_FAILURE() << "nothing was refused";
  } catch (const Error& error) {
    EXPECT_EQ(static_cast<int>(error.code()), static_cast<int>(code));
    for (const std::string& part : parts) EXPECT_THAT(error.what(), HasSubstr(part));
  }
}

void expect_refused(const plugin::OptionValues& options, std::uint32_t devices,
                    std::initializer_list<std::string> reasons,
                    const std::string& device_kind = "cpu") {
  SCOPED_TRACE(options.begin()->first + "=" + options.begin()->second);
  const plan::ArenaMap arena = small_arena(32);
  const plan::Cluster cluster = plan::make_single_host(devices, true, device_kind);
  StrategyUnderTest strategy("replicated", options);
  expect_error(ExitCode::kUsage, reasons, [&] { strategy.plan(cluster, arena); });
}

plugin::OptionValues spec(const std::string& text) {
  return {{"all_reduce_spec", text}};
}

TEST(Refusals, SpecsThatDoNotParse) {
  expect_refused(spec("foo"), 2, {"strategy replicated", "all_reduce_spec 'foo'"});
  expect_refused(spec("nccl:2k"), 2, {"a limit must be followed by an algorithm"});
}

TEST(Refusals, SeveralRanges) {
  expect_refused(spec("pscpu:2k:xring"), 2, {"'pscpu:2k:xring' has several ranges"});
}

TEST(Refusals, AlgorithmsBetweenHosts) {
  for (const std::string pair : {"nccl/xring", "nccl/rechd", "nccl/pscpu", "pscpu/pscpu#2"})
    expect_refused(spec(pair), 4, {pair.substr(0, pair.find('#')), "several hosts"});
}

TEST(Refusals, MorePiecesThanAnyPlanHolds) {
  for (const std::string pieces : {"65537", "4294967297", "9223372036854775807", "-1"})
    expect_refused({{"gradient_repacking", pieces}}, 2,
                   {"gradient_repacking=" + pieces, "from 0 to 65536"});
}

TEST(Refusals, MoreShardsThanThereAreParts) {
  expect_refused(spec("pscpu#2"), 4, {"pscpu#2", "at most 1 shards"});
  expect_refused(spec("psgpu#5"), 4, {"psgpu#5", "at most 4 shards"});
  expect_refused(spec("xring#3"), 2, {"xring#3", "at most 2 shards"});
  expect_refused(spec("collective#3"), 8, {"collective#3", "at most 2 shards"});
  expect_refused(spec("nccl#2"), 4, {"nccl#2", "at most 1 shards"}, "cuda");
}

TEST(Refusals, NcclOnDevicesThatAreNotCuda) {
  expect_refused(spec("nccl"), 2, {"needs CUDA devices", "cpu:0", "all_reduce_spec=collective"});
}

TEST(Refusals, HierarchiesThatTheDevicesDoNotForm) {
  expect_refused({{"hierarchical_copy", "true"}}, 1, {"at least 2 devices, here is 1"});
  expect_refused({{"hierarchical_copy", "true"}, {"network_topology", "gcp_v100"}}, 4,
                 {"gcp_v100 is for exactly 8 devices, here are 4"});
}

TEST(Refusals, TwoWaysToSum) {
  expect_refused({{"all_reduce_spec", "collective"}, {"hierarchical_copy", "true"}}, 2,
                 {"--all_reduce_spec=collective", "--hierarchical_copy=true", "leave out one"});
}

TEST(Refusals, NegativePacks) {
  expect_refused({{"gradient_repacking", "-1"}}, 2, {"gradient_repacking=-1"});
  expect_refused({{"agg_small_grads_max_bytes", "-8"}}, 2, {"agg_small_grads_max_bytes=-8"});
  expect_refused({{"agg_small_grads_max_group", "0"}}, 2, {"agg_small_grads_max_group=0"});
}

TEST(Refusals, OptionsOfOtherStrategiesAndUnknownValues) {
  expect_error(ExitCode::kUsage, {"staged_vars"}, [] {
    StrategyUnderTest("replicated", {{"staged_vars", "true"}});
  });
  expect_error(ExitCode::kUsage, {"local_parameter_device", "cpu, gpu"}, [] {
    StrategyUnderTest("parameter_server", {{"local_parameter_device", "tpu"}});
  });
}

}  // namespace
}  // namespace convoy::testing
