#include "core/runtime/stored_elements.hpp"

#include <gtest/gtest.h>

#include "tests/plan/sample_plans.hpp"

namespace convoy::testing {
namespace {

using runtime::StoredElements;

using Parts = std::vector<StoredElements::Part>;

TEST(StoredElements, ArePackedOneBehindTheOther) {
  const StoredElements stored({{64, 32}, {640, 96}});
  EXPECT_EQ(stored.count(), 128u);
  EXPECT_EQ(stored.offset({64, 32}), 0u);
  EXPECT_EQ(stored.offset({70, 3}), 6u);
  EXPECT_EQ(stored.offset({640, 96}), 32u);
  EXPECT_EQ(stored.offset({735, 1}), 127u);
}

TEST(StoredElements, KeepTheirAlignmentToCacheLines) {
  const StoredElements stored({{3, 5}, {40, 8}, {100, 1}});
  for (const StoredElements::Part& part : stored.parts())
    EXPECT_EQ(part.offset % 32, part.range.first % 32) << part.range.first;
  EXPECT_EQ(stored.count(), stored.offset({100, 1}) + 1);
}

TEST(StoredElements, TellWhatOfARangeHasMemory) {
  const StoredElements stored({{0, 32}, {64, 32}});
  const Parts parts = stored.parts_in({16, 60});
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0].range.first, 16u);
  EXPECT_EQ(parts[0].range.count, 16u);
  EXPECT_EQ(parts[0].offset, 16u);
  EXPECT_EQ(parts[1].range.first, 64u);
  EXPECT_EQ(parts[1].range.count, 12u);
  EXPECT_EQ(parts[1].offset, 32u);
  EXPECT_TRUE(stored.parts_in({32, 32}).empty());
}

TEST(StoredElements, OfAPlanAreThoseThatOperationsName) {
  const plan::ArenaMap arena = small_arena(32);
  const plan::Cluster cluster = plan::make_single_host(2, true, "cpu");
  const plan::Plan plan = write_plan(cluster, arena, write_sharded_server);
  const std::vector<StoredElements> named = runtime::named_elements(plan);
  const std::vector<StoredElements> updated = runtime::updated_elements(plan);
  for (std::uint32_t i = 0; i < plan.buffers.size(); ++i) {
    const plan::PlanBuffer& buffer = plan.buffers[i];
    const bool master = buffer.kind == CONVOY_BUFFER_MASTER;
    std::uint64_t expected = buffer.count;
    for (std::size_t b = 0; master && b < arena.buckets.size(); ++b)
      if (b % 2 != buffer.owner) expected -= arena.buckets[b].count;
    EXPECT_EQ(named[i].count(), expected) << plan.buffer_name(i);
    EXPECT_EQ(updated[i].count(), master ? expected : 0) << plan.buffer_name(i);
  }
}

}  // namespace
}  // namespace convoy::testing
