#include "core/plan/reference/arithmetic.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <convoy/compression.hpp>
#include <cstring>
#include <limits>
#include <numeric>
#include <vector>

namespace convoy::plan {
namespace {

template <typename T>
std::vector<T> load(const SpanMemory& memory, const PlanSpan& span) {
  std::vector<T> values(span.count);
  std::memcpy(values.data(), memory(span), span.count * sizeof(T));
  return values;
}

template <typename T>
void store(const SpanMemory& memory, const PlanSpan& span, const std::vector<T>& values) {
  std::memcpy(memory(span), values.data(), values.size() * sizeof(T));
}

// Returns a number that grows with the magnitude, for infinities and not-a-number, too.
std::uint32_t magnitude(float value) {
  return std::bit_cast<std::uint32_t>(value) & 0x7fffffffu;
}

void top_k(const Operation& operation, const SpanMemory& memory) {
  std::vector<float> from = load<float>(memory, operation.reads[0]);
  std::vector<std::int32_t> order(from.size());
  std::iota(order.begin(), order.end(), 0);
  const auto at = [&](std::int32_t i) -> float& { return from[static_cast<std::size_t>(i)]; };
  std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
    return magnitude(at(a)) > magnitude(at(b));
  });
  order.resize(operation.writes[0].count);
  std::sort(order.begin(), order.end());
  std::vector<float> values;
  values.reserve(order.size());
  for (const std::int32_t i : order) values.push_back(std::exchange(at(i), 0.0f));
  for (float& value : from)
    if (!std::isfinite(value)) value = 0;
  store(memory, operation.writes[0], values);
  store(memory, operation.writes[1], order);
  if (operation.writes.size() > 2) store(memory, operation.writes[2], from);
}

// Returns the values to which messages are added.
std::vector<float> base(const Operation& operation, const SpanMemory& memory) {
  if (operation.reads.size() > 2) return load<float>(memory, operation.reads[2]);
  return std::vector<float>(operation.writes[0].count, 0.0f);
}

void scatter(const Operation& operation, const SpanMemory& memory) {
  const std::vector<float> values = load<float>(memory, operation.reads[0]);
  const std::vector<std::int32_t> indices = load<std::int32_t>(memory, operation.reads[1]);
  std::vector<float> to = base(operation, memory);
  for (std::size_t i = 0; i < values.size(); ++i)
    if (indices[i] >= 0 && static_cast<std::size_t>(indices[i]) < to.size())
      to[static_cast<std::size_t>(indices[i])] += values[i];
  store(memory, operation.writes[0], to);
}

// Returns the mean magnitude of the values that are not zero.
float mean_magnitude(std::span<const float> block) {
  double sums[32] = {};
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < block.size(); ++i) {
    sums[i % 32] += std::fabs(static_cast<double>(block[i]));
    count += block[i] != 0 ? 1 : 0;
  }
  for (std::size_t apart = 16; apart > 0; apart /= 2)
    for (std::size_t i = 0; i < apart; ++i) sums[i] += sums[i + apart];
  return count == 0 ? 0.0f : static_cast<float>(sums[0] / static_cast<double>(count));
}

int largest_code(std::uint64_t code) {
  return code == CONVOY_CODE_4_BITS ? 7 : 127;
}

float scale_of(std::uint64_t code, std::span<const float> block) {
  float largest = 0;
  for (const float value : block) {
    if (!std::isfinite(value)) return std::numeric_limits<float>::quiet_NaN();
    largest = std::max(largest, std::fabs(value));
  }
  if (code == CONVOY_CODE_SIGN) return mean_magnitude(block);
  return largest / static_cast<float>(largest_code(code));
}

int code_of(std::uint64_t code, float scale, float value) {
  if (std::isnan(scale) || scale == 0) return 0;
  if (code == CONVOY_CODE_SIGN) return value > 0 ? 1 : value < 0 ? -1 : 0;
  const auto most = static_cast<float>(largest_code(code));
  return static_cast<int>(std::clamp(std::nearbyint(value / scale), -most, most));
}

std::vector<std::uint8_t> pack(const Coding& coding, const std::vector<int>& codes) {
  std::vector<std::uint8_t> bytes;
  for (std::size_t first = 0; first < codes.size(); first += coding.per_byte()) {
    int packed = 0;
    int digit = 1;
    for (std::size_t i = first; i < first + coding.per_byte(); ++i) {
      const int code = i < codes.size() ? codes[i] : 0;
      packed += digit * (coding.code == Code::kSign    ? 1 + code
                         : coding.code == Code::k4Bits ? code & 15
                                                       : code);
      digit *= coding.code == Code::kSign ? 3 : 16;
    }
    bytes.push_back(static_cast<std::uint8_t>(packed));
  }
  return bytes;
}

int unpack(std::uint64_t code, const std::uint8_t* bytes, std::size_t i) {
  constexpr int kPowers[] = {1, 3, 9, 27, 81};
  if (code == CONVOY_CODE_SIGN) return bytes[i / 5] / kPowers[i % 5] % 3 - 1;
  if (code == CONVOY_CODE_8_BITS) return static_cast<std::int8_t>(bytes[i]);
  const int half = bytes[i / 2] >> (i % 2 * 4) & 15;
  return half < 8 ? half : half - 16;
}

void quantise(const Operation& operation, const SpanMemory& memory) {
  std::vector<float> from = load<float>(memory, operation.reads[0]);
  const auto& [code, block, unused, unused_too] = operation.details->sizes;
  std::vector<float> scales;
  std::vector<int> codes;
  for (std::size_t first = 0; first < from.size(); first += block) {
    const std::size_t count = std::min<std::size_t>(block, from.size() - first);
    scales.push_back(scale_of(code, {from.data() + first, count}));
    for (std::size_t i = first; i < first + count; ++i) {
      codes.push_back(code_of(code, scales.back(), from[i]));
      from[i] -= scales.back() * static_cast<float>(codes.back());
      if (!std::isfinite(from[i])) from[i] = 0;
    }
  }
  store(memory, operation.writes[0], pack({static_cast<Code>(code), block}, codes));
  store(memory, operation.writes[1], scales);
  if (operation.writes.size() > 2) store(memory, operation.writes[2], from);
}

void dequantise(const Operation& operation, const SpanMemory& memory) {
  const std::vector<std::uint8_t> codes = load<std::uint8_t>(memory, operation.reads[0]);
  const std::vector<float> scales = load<float>(memory, operation.reads[1]);
  const auto& [code, block, messages, unused] = operation.details->sizes;
  std::vector<float> to = base(operation, memory);
  for (std::uint64_t message = 0; message < messages; ++message) {
    const std::uint8_t* bytes = codes.data() + message * (codes.size() / messages);
    const float* scale = scales.data() + message * (scales.size() / messages);
    for (std::size_t i = 0; i < to.size(); ++i)
      to[i] += scale[i / block] * static_cast<float>(unpack(code, bytes, i));
  }
  store(memory, operation.writes[0], to);
}

}  // namespace

void run_compression(const Operation& operation, const SpanMemory& memory) {
  switch (operation.kind) {
    case OperationKind::kTopK:
      return top_k(operation, memory);
    case OperationKind::kScatter:
      return scatter(operation, memory);
    case OperationKind::kQuantise:
      return quantise(operation, memory);
    default:
      return dequantise(operation, memory);
  }
}

}  // namespace convoy::plan
