#include "core/plan/check/symbolic/fingerprint_index.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace convoy::plan::check {
namespace {

// Hashes of which many share their lower bits, and some all bits that the index keeps.
std::uint64_t crowded_hash(std::uint32_t thing) {
  return std::uint64_t{thing} << 32 | (thing % 7 == 0 ? 0u : thing % 64 << 20);
}

TEST(FingerprintIndex, KnowsEveryThingAgainWhileItGrows) {
  FingerprintIndex index;
  std::vector<std::uint32_t> things;
  const auto number_of = [&](std::uint32_t thing) {
    return index.find_or_add(crowded_hash(thing), static_cast<std::uint32_t>(things.size()),
                             [&](std::uint32_t known) { return things[known] == thing; });
  };
  for (std::uint32_t thing = 0; thing < 2000; ++thing) {
    ASSERT_EQ(number_of(thing), thing);
    things.push_back(thing);
  }
  for (std::uint32_t thing = 0; thing < 2000; ++thing) {
    EXPECT_EQ(number_of(thing), thing);
    EXPECT_EQ(
        index.at(crowded_hash(thing), [&](std::uint32_t known) { return things[known] == thing; }),
        thing);
  }
}

TEST(FingerprintIndex, SaysWhatIsNotThere) {
  FingerprintIndex index;
  const auto never = [](std::uint32_t) { return false; };
  EXPECT_EQ(index.find_or_add(5, 0, never), 0u);
  const std::uint32_t other = index.at(6, never);
  EXPECT_NE(other, 0u);
  EXPECT_EQ(index.at(5, never), other) << "an equal hash is not yet an equal thing";
}

}  // namespace
}  // namespace convoy::plan::check
