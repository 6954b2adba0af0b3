#include "core/train/initializer.hpp"

#include <Random123/philox.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <thread>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/numbers/truncated_normal.hpp"

namespace convoy::train {
namespace {

constexpr std::size_t kWordsPerBlock = 4;
// Random words made at a time before they are transformed, which vectorises: few enough for the
// first-level cache.
constexpr std::size_t kBlocksAtATime = 512;
constexpr std::size_t kElementsWorthAThread = 1 << 18;
// Distinguishes these counters from those of other random choices made with the same seed.
constexpr std::uint32_t kPurpose = 0x696e6974;

// A sample of the standard normal distribution cut at 2, from t uniform in [-1, 1]: the quantile
// sqrt(2) * erfinv(erf(sqrt(2)) * t). Own minimax fit of quantile / t as a rational function of
// 1 - t^2, relative error 7e-8; all coefficients are positive, so single precision loses nothing to
// cancellation. Plain arithmetic vectorises, and gives the same bits whatever the C library.
inline float truncated_normal(float t) {
  const float d = (1.0f - t) * (1.0f + t);
  const float above =
      1.99999986f + d * (24.2561851f + d * (74.489431f + d * (54.2401391f + d * 4.38427199f)));
  const float below =
      1.0f + d * (13.8379113f + d * (52.4249701f + d * (55.2520673f + d * 10.7054919f)));
  return t * (above / below);
}

void fill_blocks(float deviation, std::uint64_t seed, std::uint32_t variable_index,
                 std::span<float> out, std::size_t first_block, std::size_t last_block) {
  using Philox = r123::Philox4x32;  // 10 rounds
  const Philox::key_type key = {
      {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)}};
  std::array<std::int32_t, kBlocksAtATime * kWordsPerBlock> words;
  for (std::size_t begin = first_block; begin < last_block; begin += kBlocksAtATime) {
    const std::size_t blocks = std::min(kBlocksAtATime, last_block - begin);
    for (std::size_t i = 0; i < blocks; ++i) {
      const std::uint64_t block = begin + i;
      const Philox::ctr_type counter = {{static_cast<std::uint32_t>(block),
                                         static_cast<std::uint32_t>(block >> 32), variable_index,
                                         kPurpose}};
      const Philox::ctr_type random = Philox()(counter, key);
      for (std::size_t k = 0; k < kWordsPerBlock; ++k) {
        words[i * kWordsPerBlock + k] = static_cast<std::int32_t>(random[k]);
      }
    }
    const std::size_t first = begin * kWordsPerBlock;
    const std::size_t count = std::min(blocks * kWordsPerBlock, out.size() - first);
    for (std::size_t i = 0; i < count; ++i) {
      out[first + i] = deviation * truncated_normal(static_cast<float>(words[i]) * 0x1p-31f);
    }
  }
}

void fill_truncated_normal(float deviation, std::uint64_t seed, std::uint32_t variable_index,
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
      return fill_truncated_normal(static_cast<float>(initializer.value), seed, variable_index, out,
                                   threads);
    case CONVOY_INITIALIZE_VARIANCE_SCALING: {
      CONVOY_CHECK_LT(0u, fan_in);
      const double deviation = std::sqrt(1.0 / static_cast<double>(fan_in)) / kTruncatedDeviation;
      return fill_truncated_normal(static_cast<float>(deviation), seed, variable_index, out,
                                   threads);
    }
    default:
      fail(ExitCode::kUnavailable,
           "initializer kind {} of variable {} is not one this convoy can compute; rebuild the "
           "model for this version",
           initializer.kind, variable_index);
  }
}

}  // namespace convoy::train
