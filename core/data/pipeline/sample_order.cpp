#include "core/data/pipeline/sample_order.hpp"

#include "core/base/error.hpp"
#include "core/data/pipeline/counter_random.hpp"

namespace convoy::data {
namespace {

// Four rounds with random round functions make a Feistel network a pseudorandom permutation (Luby
// and Rackoff). The other rounds help data sets of a handful of records.
constexpr std::uint32_t kRounds = 8;

}  // namespace

SampleOrder::SampleOrder(std::int64_t records, std::uint32_t seed, bool shuffle)
    : records_(records), seed_(seed), shuffle_(shuffle) {
  CONVOY_CHECK(records >= 1 && records <= (std::int64_t{1} << 32));
  while ((std::int64_t{1} << (2 * half_bits_)) < records) ++half_bits_;
}

std::int64_t SampleOrder::record_at(std::int64_t epoch, std::int64_t place) const {
  CONVOY_CHECK(place >= 0 && place < records_);
  if (!shuffle_) return place;
  // The network permutes a power of four of values. Following the cycle of `place` until a value is
  // a record's number gives a permutation of the records. The domain is less than four times too
  // large (for more than one record), so few iterations suffice.
  auto value = static_cast<std::uint64_t>(place);
  do {
    value = permute(value, static_cast<std::uint64_t>(epoch));
  } while (value >= static_cast<std::uint64_t>(records_));
  return static_cast<std::int64_t>(value);
}

std::uint64_t SampleOrder::permute(std::uint64_t value, std::uint64_t epoch) const {
  const std::uint32_t mask = (std::uint32_t{1} << half_bits_) - 1;
  auto left = static_cast<std::uint32_t>(value >> half_bits_);
  std::uint32_t right = static_cast<std::uint32_t>(value) & mask;
  for (std::uint32_t round = 0; round < kRounds; ++round) {
    const auto words = random_block(
        seed_, RandomPurpose::kSampleOrder,
        {right, round, static_cast<std::uint32_t>(epoch), static_cast<std::uint32_t>(epoch >> 32)});
    const std::uint32_t mixed = left ^ (words[0] & mask);
    left = right;
    right = mixed;
  }
  return (std::uint64_t{left} << half_bits_) | right;
}

}  // namespace convoy::data
