#include "plugins/devices/cuda/programs/memory_plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plugins/devices/cuda/operations/update_plan.hpp"
#include "plugins/devices/cuda/programs/batch_fit.hpp"

namespace convoy::cuda {
namespace {

TEST(MemoryPlan, SharesMemoryOfBuffersThatNeverLiveTogether) {
  MemoryPlan plan;
  const auto first = plan.add(1000), second = plan.add(1000), both = plan.add(500);
  plan.use(first, 0);
  plan.use(first, 3);
  plan.use(second, 4);
  plan.use(second, 6);
  plan.use(both, 2);
  plan.use(both, 5);
  plan.place();
  EXPECT_EQ(plan.offset(first), plan.offset(second));
  EXPECT_GE(plan.offset(both), 1000u);
  EXPECT_EQ(plan.bytes(), 1024u + 512u);
}

TEST(MemoryPlan, KeepsBuffersApartThatMeetInOneMoment) {
  MemoryPlan plan;
  const auto before = plan.add(100), after = plan.add(100);
  plan.use(before, 0);
  plan.use(before, 5);
  plan.use(after, 5);
  plan.place();
  EXPECT_NE(plan.offset(before), plan.offset(after));
}

TEST(MemoryPlan, AlignsEveryBufferAndPlacesNoneThatIsNotUsed) {
  MemoryPlan plan;
  std::vector<MemoryPlan::Id> ids;
  for (std::uint64_t size = 1; size < 2000; size += 333) {
    ids.push_back(plan.add(size));
    plan.use(ids.back(), 0);
  }
  const auto unused = plan.add(1 << 20);
  plan.place();
  for (const auto id : ids) EXPECT_EQ(plan.offset(id) % 512, 0u) << id;
  EXPECT_LT(plan.bytes(), 1u << 20) << "buffer " << unused << " is never used";
}

std::uint64_t need(std::uint32_t batch) {
  return 50'000'000 + std::uint64_t{batch} * 1'000'000;
}

TEST(BatchFit, FindsTheLargestBatch) {
  EXPECT_EQ(largest_batch(need, 1000, {149'999'999}), 99u);
  EXPECT_EQ(largest_batch(need, 1000, {150'000'000}), 100u);
  EXPECT_EQ(largest_batch(need, 64, {150'000'000}), 64u);
  EXPECT_EQ(largest_batch(need, 64, {50'000'000}), 0u);
}

TEST(BatchFit, SharesWhatIsThereAmongTheDevicesOfAGpu) {
  EXPECT_EQ(largest_batch(need, 1000, {300'000'000, 0, 2}), 100u);
  EXPECT_EQ(batch_problem(need, 100, {300'000'000, 0, 2}), "");
  const std::string text = batch_problem(need, 200, {300'000'000, 20'000'000, 2});
  EXPECT_THAT(text,
              testing::HasSubstr("needs 520 MB of the GPU's memory (250 MB for layers of each "
                                 "of 2 devices on this GPU, 20 MB for parameters"));
  EXPECT_THAT(text, testing::HasSubstr("--batch_size=100"));
}

TEST(BatchFit, SaysWhatIsNeededAndAvailableAndWhatFits) {
  EXPECT_EQ(batch_problem(need, 100, {150'000'000, 40'000'000}), "");
  const std::string text = batch_problem(need, 256, {150'000'000, 40'000'000});
  EXPECT_THAT(text,
              testing::HasSubstr("a batch of 256 images needs 346 MB of the GPU's memory (306 "
                                 "MB for layers, 40 MB for parameters, gradients, optimizer "
                                 "state and the strategy's buffers)"));
  EXPECT_THAT(text, testing::HasSubstr("190 MB are available"));
  EXPECT_THAT(text, testing::HasSubstr("--batch_size=100"));
  EXPECT_THAT(batch_problem(need, 256, {10}), testing::HasSubstr("not even one image fits"));
}

TEST(BatchFit, DoesNotAdviseAnotherBatchWhereThePlanIsTooLarge) {
  const std::string text = plan_problem(700'000'000, 300'000'000, 400'000'000);
  EXPECT_THAT(text,
              testing::HasSubstr("400 MB so far, another 700 MB are wanted, 300 MB are free"));
  EXPECT_THAT(text, testing::HasSubstr("The batch size does not matter here"));
}

TEST(WorkspaceLimit, IsTheSameWhenALittleMoreMemoryIsFree) {
  constexpr std::uint64_t kMegabyte = 1 << 20;
  EXPECT_EQ(workspace_limit(5000 * kMegabyte), 512 * kMegabyte);
  EXPECT_EQ(workspace_limit(5037 * kMegabyte), 512 * kMegabyte);
  EXPECT_EQ(workspace_limit(80'000 * kMegabyte), 1024 * kMegabyte);
  EXPECT_EQ(workspace_limit(0), 0u);
}

// Blocks as (first, count, decayed).
std::vector<std::array<std::uint64_t, 3>> blocks_of(std::vector<convoy_decay_range> ranges,
                                                    std::uint64_t count) {
  convoy_update update{};
  update.decayed = ranges.data();
  update.decayed_count = ranges.size();
  std::vector<std::array<std::uint64_t, 3>> result;
  for (const UpdateBlock& block : update_blocks(update, count))
    result.push_back({block.first, block.count, block.decayed});
  return result;
}

TEST(UpdateBlocks, FollowTheDecayedRanges) {
  using Blocks = std::vector<std::array<std::uint64_t, 3>>;
  EXPECT_EQ(blocks_of({}, 10), (Blocks{{0, 10, 0}}));
  EXPECT_EQ(blocks_of({{2, 3}, {8, 5}}, 10), (Blocks{{0, 2, 0}, {2, 3, 1}, {5, 3, 0}, {8, 2, 1}}));
  EXPECT_TRUE(blocks_of({}, 0).empty());
}

TEST(UpdateBlocks, CoverALongSpanOnce) {
  std::uint64_t next = 0;
  for (const auto& block : blocks_of({{1000, 200'000}}, 300'000)) {
    EXPECT_EQ(block[0], next);
    next += block[1];
  }
  EXPECT_EQ(next, 300'000u);
}

// An H100 has 132 multiprocessors.
TEST(UpdateBlocks, OccupyAGpuWithAQuarterOfADefaultBucket) {
  EXPECT_GE(blocks_of({}, (16 << 20) / 4 / sizeof(float)).size(), 96u);
}

}  // namespace
}  // namespace convoy::cuda
