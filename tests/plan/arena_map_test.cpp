#include "core/plan/arena_map.hpp"

#include <gtest/gtest.h>

#include "core/plan/cluster.hpp"
#include "tests/plan/sample_models.hpp"

namespace convoy::testing {
namespace {

TEST(ArenaMap, FindsTheVariableOfAnElement) {
  plan::ArenaMap arena = small_arena(0);
  EXPECT_EQ(arena.variable_at(0), "fc/bias");
  EXPECT_EQ(arena.variable_at(7), "fc/bias");
  EXPECT_EQ(arena.variable_at(8), "fc/weights");
  EXPECT_EQ(arena.variable_at(136), "conv1/kernel");
  EXPECT_EQ(arena.variable_at(137), "padding");
  arena.variables[1].range.count -= 4;
  EXPECT_EQ(arena.variable_at(71), "padding");
  EXPECT_EQ(plan::ArenaMap().variable_at(0), "padding");
}

TEST(Buckets, CoverTheArenaOnceAndBeginAtCacheLines) {
  for (const std::uint64_t elements : {1u, 15u, 16u, 17u, 1000u})
    for (const std::uint64_t size : {0u, 1u, 16u, 33u, 5000u}) {
      std::uint64_t end = 0;
      for (const plan::ElementRange& bucket : plan::make_buckets(elements, size)) {
        EXPECT_EQ(bucket.first, end);
        EXPECT_EQ(bucket.first % 16, 0u);
        EXPECT_GT(bucket.count, 0u);
        end += bucket.count;
      }
      EXPECT_EQ(end, elements) << "buckets of " << size;
      if (size == 0) {
        EXPECT_EQ(plan::make_buckets(elements, size).size(), 1u);
      }
    }
}

TEST(SingleHost, PlacesTheHostLastAndRestrictsAccessWithoutPeers) {
  const plan::Cluster shared = plan::make_single_host(3, true, "cpu");
  ASSERT_EQ(shared.places.size(), 4u);
  EXPECT_EQ(shared.places[3].kind, std::uint32_t{CONVOY_PLACE_HOST});
  EXPECT_EQ(shared.places[1].name, "cpu:1");
  EXPECT_TRUE(shared.access[3][0]);
  const plan::Cluster apart = plan::make_single_host(3, false, "gpu");
  EXPECT_FALSE(apart.access[0][1]);
  EXPECT_TRUE(apart.access[0][3]);
  EXPECT_FALSE(apart.access[3][0]);
  EXPECT_TRUE(apart.access[3][3]);
}

}  // namespace
}  // namespace convoy::testing
