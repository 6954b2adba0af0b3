#include <gtest/gtest.h>

#include "core/simulate/collectives/in_switch_chunks.hpp"
#include "tests/simulate/collectives/platform_collectives.hpp"

namespace convoy::testing {
namespace {

using simulate::CollectiveAlgorithm;

constexpr double kMebi = 1 << 20;

// The library doubles the chunks of eight H100, which have 16 channels, at 8 MB, 64 MB and 1 GB.
TEST(InSwitchTest, ChunksGrowWithTheCollective) {
  constexpr double kAtOnce = 16 * 8;
  const auto kibi = [](double bytes) {
    return simulate::in_switch_chunk_bytes(bytes, kAtOnce) / 1024;
  };
  EXPECT_EQ(kibi(8 * kMebi - 1), 16);
  EXPECT_EQ(kibi(8 * kMebi), 32);
  EXPECT_EQ(kibi(64 * kMebi - 1), 32);
  EXPECT_EQ(kibi(64 * kMebi), 64);
  EXPECT_EQ(kibi(1024 * kMebi - 1), 64);
  EXPECT_EQ(kibi(1024 * kMebi), 128);
}

TEST(InSwitchTest, SmallChunksCostTheirFixedTimeMoreOften) {
  EXPECT_DOUBLE_EQ(simulate::in_switch_slowdown(128 * 1024, 0.2), 1);
  EXPECT_DOUBLE_EQ(simulate::in_switch_slowdown(64 * 1024, 0.2), 1.2);
  EXPECT_DOUBLE_EQ(simulate::in_switch_slowdown(16 * 1024, 0.2), 2.4);
}

// Published logs show the step: 466 GB/s after 438 on eight H100, 816 after 722 on eight B200.
TEST(InSwitchTest, BusBandwidthStepsUpWhereChunksDouble) {
  const auto step = [](const char* platform, double bytes) {
    Collectives it(platform, 1, 8);
    return it.choose(bytes).bytes_per_second / it.choose(bytes - 1).bytes_per_second;
  };
  EXPECT_NEAR(step("hgx-h100x8", 1024 * kMebi), 1.06, 0.01);
  EXPECT_NEAR(step("hgx-b200x8", 1536 * kMebi), 1.19, 0.01);
}

// Rings would be faster up to 64 MB, but the library expects more of the switches.
TEST(InSwitchTest, TheLibraryChoosesByItsOwnEstimate) {
  Collectives it("hgx-b200x8", 1, 8);
  constexpr double kBytes = 16 * kMebi;
  EXPECT_EQ(it.choose(kBytes).algorithm, CollectiveAlgorithm::kInSwitch);
  EXPECT_GT(
      it.choose(kBytes).seconds(kBytes),
      it.choose(kBytes, plan::OperationKind::kAllReduce, CONVOY_ALGORITHM_RING).seconds(kBytes));
  EXPECT_EQ(it.choose(1024).algorithm, CollectiveAlgorithm::kRing);
}

TEST(InSwitchTest, FourDevicesUseRings) {
  EXPECT_EQ(Collectives("hgx-h100x8", 1, 4).choose(1e9).algorithm, CollectiveAlgorithm::kRing);
  EXPECT_EQ(Collectives("hgx-h100x8", 1, 5).choose(1e9).algorithm, CollectiveAlgorithm::kInSwitch);
}

}  // namespace
}  // namespace convoy::testing
