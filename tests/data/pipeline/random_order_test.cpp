#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <set>

#include "core/data/pipeline/counter_random.hpp"
#include "core/data/pipeline/sample_order.hpp"
#include "core/data/pipeline/truncated_normal.hpp"

namespace convoy::data {
namespace {

TEST(CounterRandom, IsPhilox4x32WithTenRounds) {
  // Known answers of the Random123 distribution.
  using Words = std::array<std::uint32_t, 4>;
  EXPECT_EQ(random_block(0, RandomPurpose{0}, {0, 0, 0, 0}),
            (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(random_block(0xa4093822, RandomPurpose{0x299f31d0},
                         {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(CounterRandom, StreamsDifferInEveryArgument) {
  std::set<std::uint32_t> first_words;
  for (const std::uint32_t seed : {1u, 2u}) {
    for (const auto purpose : {RandomPurpose::kSampleOrder, RandomPurpose::kAugmentation}) {
      for (const std::uint32_t sample : {0u, 1u}) {
        for (const std::uint64_t round : {std::uint64_t{0}, std::uint64_t{1} << 32}) {
          first_words.insert(CounterRandom(seed, purpose, sample, round).next());
        }
      }
    }
  }
  EXPECT_EQ(first_words.size(), 16u);
}

TEST(CounterRandom, UniformAndBelowFillTheirRanges) {
  CounterRandom random(1, RandomPurpose::kAugmentation, 0, 0);
  std::array<int, 7> counts = {};
  double sum = 0;
  for (int i = 0; i < 70000; ++i) {
    const double value = random.uniform(-2, 3);
    ASSERT_GE(value, -2);
    ASSERT_LT(value, 3);
    sum += value;
    ++counts.at(random.below(7));
  }
  EXPECT_NEAR(sum / 70000, 0.5, 0.03);
  for (const int count : counts) EXPECT_NEAR(count, 10000, 500);
}

TEST(SampleOrder, EveryEpochIsAPermutation) {
  for (const std::int64_t records : {1, 2, 3, 4, 5, 16, 17, 64, 65, 1000, 4097}) {
    const SampleOrder order(records, 7, true);
    for (std::int64_t epoch = 0; epoch < 3; ++epoch) {
      std::set<std::int64_t> seen;
      for (std::int64_t place = 0; place < records; ++place) {
        seen.insert(order.record_at(epoch, place));
      }
      ASSERT_EQ(seen.size(), static_cast<std::size_t>(records)) << "epoch " << epoch;
      ASSERT_EQ(*seen.rbegin(), records - 1);
    }
  }
}

TEST(SampleOrder, EpochsAndSeedsDiffer) {
  const SampleOrder order(1000, 7, true), other(1000, 8, true);
  int same_epoch = 0, same_seed = 0, in_place = 0;
  for (std::int64_t place = 0; place < 1000; ++place) {
    same_epoch += order.record_at(0, place) == order.record_at(1, place) ? 1 : 0;
    same_seed += order.record_at(0, place) == other.record_at(0, place) ? 1 : 0;
    in_place += order.record_at(0, place) == place ? 1 : 0;
  }
  // One is expected by chance in each.
  EXPECT_LT(same_epoch, 10);
  EXPECT_LT(same_seed, 10);
  EXPECT_LT(in_place, 10);
}

TEST(SampleOrder, ARecordComesAnywhereInAnEpoch) {
  constexpr std::int64_t kRecords = 10;
  const SampleOrder order(kRecords, 3, true);
  std::array<int, kRecords> counts = {};
  for (std::int64_t epoch = 0; epoch < 10000; ++epoch) {
    ++counts.at(static_cast<std::size_t>(order.record_at(epoch, 4)));
  }
  for (const int count : counts) EXPECT_NEAR(count, 1000, 150);
}

TEST(SampleOrder, WithoutShufflingIsTheFilesOrder) {
  const SampleOrder order(5, 7, false);
  for (std::int64_t place = 0; place < 5; ++place) EXPECT_EQ(order.record_at(2, place), place);
}

TEST(TruncatedNormal, HasTheMomentsOfTheCutDistribution) {
  const TruncatedNormal normal(127, 60);
  CounterRandom random(1, RandomPurpose::kSyntheticImage, 0, 0);
  double sum = 0, squares = 0;
  int within_one = 0;
  constexpr int kCount = 200000;
  for (int i = 0; i < kCount; ++i) {
    const double value = normal.sample(random);
    ASSERT_GE(value, 7);
    ASSERT_LE(value, 247);
    sum += value;
    squares += (value - 127) * (value - 127);
    within_one += value > 67 && value < 187 ? 1 : 0;
  }
  EXPECT_NEAR(sum / kCount, 127, 0.5);
  // A normal cut at 2 sigma has 0.8796 of its deviation, and 0.6827 / 0.9545 of it within 1 sigma.
  EXPECT_NEAR(std::sqrt(squares / kCount), 0.8796 * 60, 0.3);
  EXPECT_NEAR(double(within_one) / kCount, 0.7152, 0.005);
}

}  // namespace
}  // namespace convoy::data
