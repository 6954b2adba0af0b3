#include "core/train/initializer.hpp"

#include <Random123/philox.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <thread>
#include <vector>

#include "core/base/error.hpp"

namespace convoy {
namespace {

// Standard deviation of a unit normal cut at +-2, so that dividing by it restores unit variance.
constexpr double kTruncatedStandardDeviation = 0.87962566103423978;

// Elements per inner loop: a multiple of Philox's four, small enough for the first-level cache.
constexpr std::size_t kBlock = 2048;
constexpr std::size_t kElementsPerThread = std::size_t{1} << 16;

// Maps t in [-1, 1], uniform, to a unit normal cut at +-2: sqrt(2) * erfinv(erf(sqrt(2)) * t).
// A rational minimax fit in 1 - t^2 (own fit, relative error 7e-8; all terms are positive, so
// single precision loses nothing to cancellation). Being plain arithmetic it vectorises and gives
// the same bits on every machine, which a library logarithm would not.
inline float truncated_normal_quantile(float t) {
  const float d = (1.0f - t) * (1.0f + t);
  const float p =
      1.99999986f + d * (24.2561851f + d * (74.489431f + d * (54.2401391f + d * 4.38427199f)));
  const float q =
      1.0f + d * (13.8379113f + d * (52.4249701f + d * (55.2520673f + d * 10.7054919f)));
  return t * (p / q);
}

void fill_truncated_normal(std::uint64_t seed, std::uint32_t variable, std::size_t first,
                           std::span<float> out, float stddev) {
  CONVOY_CHECK_EQ(first % 4, std::size_t{0});
  const r123::Philox4x32 philox;
  const r123::Philox4x32::key_type key = {
      {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)}};
  std::array<std::int32_t, kBlock> bits;
  for (std::size_t begin = 0; begin < out.size(); begin += kBlock) {
    const std::size_t count = std::min(kBlock, out.size() - begin);
    for (std::size_t i = 0; i < count; i += 4) {
      const std::uint64_t index = (first + begin + i) / 4;
      const auto random = philox({{static_cast<std::uint32_t>(index),
                                   static_cast<std::uint32_t>(index >> 32), variable, 0}},
                                 key);
      for (std::size_t k = 0; k < 4; ++k) bits[i + k] = static_cast<std::int32_t>(random[k]);
    }
    for (std::size_t i = 0; i < count; ++i) {
      const float t = static_cast<float>(bits[i]) * 0x1p-31f;
      out[begin + i] = stddev * truncated_normal_quantile(t);
    }
  }
}

void fill_hash(const InitializerSpec& spec, std::uint64_t seed, std::uint32_t variable,
               std::size_t first, std::span<float> out) {
  for (std::size_t i = 0; i < out.size(); ++i) {
    const double u = hash_uniform(static_cast<std::uint32_t>(first + i), variable + 1,
                                  static_cast<std::uint32_t>(seed));
    const double product = spec.value * u;
    out[i] = static_cast<float>(spec.offset + product);
  }
}

std::optional<float> constant_of(const InitializerSpec& spec) {
  switch (spec.kind) {
    case InitializerKind::kZeros:
      return 0.0f;
    case InitializerKind::kOnes:
      return 1.0f;
    case InitializerKind::kConstant:
      return static_cast<float>(spec.value);
    default:
      return std::nullopt;
  }
}

void fill_random(const InitializerSpec& spec, std::uint64_t seed, std::uint32_t variable,
                 std::size_t first, std::span<float> out) {
  switch (spec.kind) {
    case InitializerKind::kTruncatedNormal:
      fill_truncated_normal(seed, variable, first, out, static_cast<float>(spec.value));
      break;
    case InitializerKind::kVarianceScaling:
      fill_truncated_normal(
          seed, variable, first, out,
          static_cast<float>(std::sqrt(1.0 / spec.fan_in) / kTruncatedStandardDeviation));
      break;
    default:
      fill_hash(spec, seed, variable, first, out);
  }
}

}  // namespace

double hash_uniform(std::uint32_t element, std::uint32_t key, std::uint32_t seed) {
  std::uint32_t h = element * 2654435761u + key * 2246822519u + seed * 3266489917u;
  h ^= h >> 16;
  h *= 0x45d9f3bu;
  h ^= h >> 16;
  return static_cast<double>(h) * 0x1p-32 - 0.5 + 0x1p-33;
}

void initialize(const InitializerSpec& spec, std::uint64_t seed, std::uint32_t variable_index,
                std::span<float> out, int threads) {
  if (const auto constant = constant_of(spec)) {
    std::ranges::fill(out, *constant);
    return;
  }
  CONVOY_CHECK(spec.kind != InitializerKind::kVarianceScaling || spec.fan_in > 0);
  const std::size_t useful = 1 + out.size() / kElementsPerThread;
  const std::size_t workers = std::clamp<std::size_t>(threads > 0 ? threads : 1, 1, useful);
  const std::size_t share = (out.size() / workers + 4) / 4 * 4;
  std::vector<std::jthread> others;
  for (std::size_t first = share; first < out.size(); first += share) {
    const auto part = out.subspan(first, std::min(share, out.size() - first));
    others.emplace_back([=, &spec] { fill_random(spec, seed, variable_index, first, part); });
  }
  fill_random(spec, seed, variable_index, 0, out.first(std::min(share, out.size())));
}

}  // namespace convoy
