#include "core/data/pipeline/counter_random.hpp"

#include <Random123/philox.h>

#include "core/base/error.hpp"

namespace convoy::data {

std::array<std::uint32_t, 4> random_block(std::uint32_t seed, RandomPurpose purpose,
                                          const std::array<std::uint32_t, 4>& counter) {
  const r123::Philox4x32 generator;  // ten rounds, as its authors recommend
  const r123::Philox4x32::key_type key = {{seed, static_cast<std::uint32_t>(purpose)}};
  const r123::Philox4x32::ctr_type input = {{counter[0], counter[1], counter[2], counter[3]}};
  const r123::Philox4x32::ctr_type output = generator(input, key);
  return {output[0], output[1], output[2], output[3]};
}

CounterRandom::CounterRandom(std::uint32_t seed, RandomPurpose purpose, std::uint32_t sample,
                             std::uint64_t round)
    : seed_(seed),
      purpose_(purpose),
      counter_{0, sample, static_cast<std::uint32_t>(round),
               static_cast<std::uint32_t>(round >> 32)} {}

std::uint32_t CounterRandom::next() {
  if (used_ == 4) {
    block_ = random_block(seed_, purpose_, counter_);
    ++counter_[0];
    used_ = 0;
  }
  return block_[static_cast<std::size_t>(used_++)];
}

double CounterRandom::uniform() {
  return next() * 0x1p-32;
}

double CounterRandom::uniform(double low, double high) {
  return low + (high - low) * uniform();
}

std::uint32_t CounterRandom::below(std::uint32_t bound) {
  CONVOY_CHECK(bound >= 1);
  return static_cast<std::uint32_t>((std::uint64_t{next()} * bound) >> 32);
}

}  // namespace convoy::data
