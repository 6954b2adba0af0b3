#include "core/job/simulation/plan_memory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.hpp"

namespace convoy::job {
namespace {

TEST(PlanMemory, GrowsWithTheHostsAsSmallerClustersDo) {
  const auto linear = [](std::uint32_t hosts) { return std::uint64_t{100} * hosts; };
  EXPECT_NEAR(estimated_operations(1024, linear), 102'400, 1);
  const auto square = [](std::uint32_t hosts) { return std::uint64_t{3} * hosts * hosts; };
  EXPECT_NEAR(estimated_operations(1000, square), 3e6, 3e4);
  const auto mixed = [](std::uint32_t hosts) {
    return std::uint64_t{1000} * hosts + hosts * hosts;
  };
  // Of sums of powers it sees the steeper one only in part.
  const double sum = estimated_operations(2048, mixed) / (1000. * 2048 + 2048. * 2048);
  EXPECT_GT(sum, 0.5);
  EXPECT_LT(sum, 1);
}

TEST(PlanMemory, RefusesWhatThisMachineCannotHoldWithBothFigures) {
  require_memory(1e4, 64, 8);
  try {
    require_memory(1e13, 4096, 8);
    FAIL() << "6 PB were taken";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kFailed);
    for (const char* part :
         {"4096 hosts with 8 devices", "about 10000000 million", "GiB left", "--bucket_mb"})
      EXPECT_THAT(error.what(), ::testing::HasSubstr(part));
  }
}

TEST(PlanMemory, RefusesPlansThatAreClearlyTooLargeBeforeTheyAreWritten) {
  const auto none = [] { return std::optional<FittingBuckets>(); };
  require_size(8e6, 128, 8, none);
  require_size(11e6, 128, 8, none);  // an estimate may be wrong
  for (const auto& [operations, said] :
       {std::pair{14.7e6, "about 15 million"}, std::pair{123e6, "about 123 million"}})
    try {
      require_size(operations, 128, 8, none);
      FAIL() << operations << " operations were taken";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::kUsage);
      for (const char* part : {"128 hosts with 8 devices", said, "at most 8.0 million"})
        EXPECT_THAT(error.what(), ::testing::HasSubstr(part));
    }
}

// What a strategy writes goes with the number of buckets.
TEST(PlanMemory, SaysWhichBucketsMakeAPlanSmallEnough) {
  const auto operations = [](double megabytes) { return 29e6 * 16 / megabytes; };
  try {
    require_size(29e6, 128, 8, [&] { return fitting_buckets(16, 100, operations); });
    FAIL() << "was taken";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(),
                ::testing::HasSubstr("with --bucket_mb=128 it has about 3.6 million"));
  }
  EXPECT_FALSE(fitting_buckets(16, 30, operations)) << "one bucket of 32 MB";
  EXPECT_FALSE(fitting_buckets(16, 100, [](double) { return 0; })) << "not known";
  EXPECT_FALSE(fitting_buckets(0, 100, operations)) << "one bucket already";
}

TEST(PlanMemory, SmallClustersAreNotEstimated) {
  EXPECT_FALSE(is_large_cluster(63, 16));
  EXPECT_FALSE(is_large_cluster(64, 4));
  EXPECT_TRUE(is_large_cluster(64, 8));
}

TEST(PlanMemory, IsNotGuessedFromPlansThatThereAreNot) {
  const auto from_128_on = [](std::uint32_t hosts) -> std::uint64_t {
    if (hosts < 128) fail(ExitCode::kUsage, "too few hosts");
    return 1000 * hosts;
  };
  EXPECT_EQ(estimated_operations(1024, from_128_on), 0);
  EXPECT_NEAR(estimated_operations(2048, from_128_on), 1000. * 2048, 1);
  EXPECT_EQ(estimated_operations(1024, [](std::uint32_t) { return 0u; }), 0);
}

}  // namespace
}  // namespace convoy::job
