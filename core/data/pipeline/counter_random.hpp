#pragma once

#include <array>
#include <cstdint>

namespace convoy::data {

// The purposes of random numbers. Streams of different purposes are independent.
enum class RandomPurpose : std::uint32_t {
  kSyntheticImage = 1,
  kSyntheticLabel = 2,
  kSampleOrder = 3,
  kAugmentation = 4,
};

// Returns Philox4x32-10 at one counter: four words that depend only on the arguments.
std::array<std::uint32_t, 4> random_block(std::uint32_t seed, RandomPurpose purpose,
                                          const std::array<std::uint32_t, 4>& counter);

// The random numbers of one sample. Two streams with equal arguments are equal, and all others are
// independent. So the content of a sample never depends on the thread or replica that makes it.
// `sample` identifies the sample within `round`, which is a step or an epoch.
class CounterRandom {
 public:
  CounterRandom(std::uint32_t seed, RandomPurpose purpose, std::uint32_t sample,
                std::uint64_t round);

  std::uint32_t next();
  double uniform();                          // in [0, 1)
  double uniform(double low, double high);   // in [low, high)
  std::uint32_t below(std::uint32_t bound);  // in [0, bound), bound >= 1

 private:
  std::uint32_t seed_;
  RandomPurpose purpose_;
  std::array<std::uint32_t, 4> counter_;
  std::array<std::uint32_t, 4> block_{};
  int used_ = 4;
};

}  // namespace convoy::data
