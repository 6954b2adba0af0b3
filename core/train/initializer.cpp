#include "core/train/initializer.hpp"

#include <Random123/philox.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <thread>
#include <vector>

#include "core/base/error.hpp"

namespace convoy {
namespace {

// Standard deviation of the standard normal distribution cut at 2, as TensorFlow writes it.
constexpr double kTruncatedDeviation = 0.87962566103423978;
// Probability of the standard normal distribution between -2 and 2: erf(sqrt(2)).
constexpr double kProbabilityWithinTwo = 0.95449973610364158;
constexpr std::size_t kWordsPerBlock = 4;
constexpr std::size_t kElementsWorthAThread = 1 << 18;
// Distinguishes these counters from those of other random choices made with the same seed.
constexpr std::uint32_t kPurpose = 0x696e6974;

// Inverse of the standard normal distribution at 0.5 + q for |q| below 0.4773, to about 7 digits:
// M. J. Wichura, Algorithm AS 241 (PPND7), Applied Statistics 37 (1988) 477-484.
double inverse_normal(double q) {
  if (std::abs(q) <= 0.425) {
    const double r = 0.180625 - q * q;
    const double above = ((59.109374720 * r + 159.29113202) * r + 50.434271938) * r + 3.3871327179;
    const double below = ((67.187563600 * r + 78.757757664) * r + 17.895169469) * r + 1.0;
    return q * above / below;
  }
  const double r = std::sqrt(-std::log(0.5 - std::abs(q))) - 1.6;
  const double above = ((0.17023821103 * r + 1.3067284816) * r + 2.7568153900) * r + 1.4234372777;
  const double below = (0.12021132975 * r + 0.73700164250) * r + 1.0;
  return std::copysign(above / below, q);
}

// A sample of the standard normal distribution cut at 2, from a uniform word.
double truncated_normal(std::uint32_t word) {
  const double centred = (static_cast<double>(word) + 0.5) * 0x1p-32 - 0.5;
  return std::clamp(inverse_normal(centred * kProbabilityWithinTwo), -2.0, 2.0);
}

void fill_blocks(double deviation, std::uint64_t seed, std::uint32_t variable_index,
                 std::span<float> out, std::size_t first_block, std::size_t last_block) {
  using Philox = r123::Philox4x32;  // 10 rounds
  const Philox::key_type key = {
      {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)}};
  for (std::size_t block = first_block; block < last_block; ++block) {
    const Philox::ctr_type counter = {{static_cast<std::uint32_t>(block),
                                       static_cast<std::uint32_t>(std::uint64_t{block} >> 32),
                                       variable_index, kPurpose}};
    const Philox::ctr_type words = Philox()(counter, key);
    const std::size_t first = block * kWordsPerBlock;
    const std::size_t count = std::min(kWordsPerBlock, out.size() - first);
    for (std::size_t i = 0; i < count; ++i) {
      out[first + i] = static_cast<float>(deviation * truncated_normal(words[i]));
    }
  }
}

void fill_truncated_normal(double deviation, std::uint64_t seed, std::uint32_t variable_index,
                           std::span<float> out, int threads) {
  const std::size_t blocks = (out.size() + kWordsPerBlock - 1) / kWordsPerBlock;
  const std::size_t useful = out.size() / kElementsWorthAThread + 1;
  const std::size_t workers = std::min(static_cast<std::size_t>(std::max(threads, 1)), useful);
  std::vector<std::jthread> others;
  for (std::size_t worker = 1; worker < workers; ++worker) {
    others.emplace_back([=] {
      fill_blocks(deviation, seed, variable_index, out, blocks * worker / workers,
                  blocks * (worker + 1) / workers);
    });
  }
  fill_blocks(deviation, seed, variable_index, out, 0, blocks / workers);
}

}  // namespace

void initialize(const convoy_initializer& initializer, std::uint64_t fan_in, std::uint64_t seed,
                std::uint32_t variable_index, std::span<float> out, int threads) {
  switch (initializer.kind) {
    case CONVOY_INITIALIZE_CONSTANT:
      std::fill(out.begin(), out.end(), static_cast<float>(initializer.value));
      return;
    case CONVOY_INITIALIZE_TRUNCATED_NORMAL:
      return fill_truncated_normal(initializer.value, seed, variable_index, out, threads);
    case CONVOY_INITIALIZE_VARIANCE_SCALING: {
      CONVOY_CHECK_LT(0u, fan_in);
      const double deviation = std::sqrt(1.0 / static_cast<double>(fan_in)) / kTruncatedDeviation;
      return fill_truncated_normal(deviation, seed, variable_index, out, threads);
    }
    default:
      fail(ExitCode::kUnavailable,
           "initializer kind {} of variable {} is not one this convoy can compute; rebuild the "
           "model for this version",
           initializer.kind, variable_index);
  }
}

}  // namespace convoy
