#include "core/runtime/trial/trial_spans.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/plan/reference/half.hpp"

namespace convoy::runtime {
namespace {

constexpr std::uint32_t kOtherBits = 0x11111111;  // for types without numbers, in the other variant

bool holds_floats(std::uint32_t dtype) {
  return dtype == CONVOY_F32 || dtype == CONVOY_F16 || dtype == CONVOY_BF16;
}

std::uint32_t bits_of(float number, std::uint32_t dtype) {
  if (dtype == CONVOY_F16) return plan::to_f16(number);
  if (dtype == CONVOY_BF16) return plan::to_bf16(number);
  return std::bit_cast<std::uint32_t>(number);
}

float number_of(std::uint32_t bits, std::uint32_t dtype) {
  if (dtype == CONVOY_F16) return plan::from_f16(static_cast<std::uint16_t>(bits));
  if (dtype == CONVOY_BF16) return plan::from_bf16(static_cast<std::uint16_t>(bits));
  return std::bit_cast<float>(bits);
}

// Returns numbers such as gradients have, and zero, times 2^exponent.
float usual_number(std::size_t n, int exponent) {
  return std::ldexp(0.01f * (static_cast<float>(n) - 5), exponent);
}

std::uint32_t bits_at(const std::byte* bytes, std::uint32_t dtype) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, bytes, plan::dtype_bytes(dtype));  // the first bytes are the lowest ones
  return bits;
}

}  // namespace

TrialSpans::TrialSpans(const plan::Operation& call, FencedMemory::Side at_guard) {
  const auto entry = [&](const plan::PlanSpan& span) -> Tried& {
    for (Tried& it : spans_)
      if (plan::same_span(it.span, span)) return it;
    return spans_.emplace_back(
        Tried{span, false, false, {span.count * plan::dtype_bytes(span.dtype), at_guard}});
  };
  for (const plan::PlanSpan& span : call.reads) entry(span).read = true;
  for (const plan::PlanSpan& span : call.writes) entry(span).written = true;
  reads_ = indices_of(call.reads);
  writes_ = indices_of(call.writes);
  bits_.resize(spans_.size());
}

std::vector<std::size_t> TrialSpans::indices_of(const plan::SpanList& list) const {
  std::vector<std::size_t> result;
  for (const plan::PlanSpan& span : list) {
    std::size_t i = 0;
    while (!plan::same_span(spans_[i].span, span)) ++i;
    result.push_back(i);
  }
  return result;
}

bool TrialSpans::are_floats() const {
  return std::ranges::all_of(spans_, [](const Tried& it) { return holds_floats(it.span.dtype); });
}

void TrialSpans::fill(unsigned variant, int exponent) {
  // The range of f16 is small, so all sums of several numbers must stay within it.
  const bool is_narrow =
      std::ranges::any_of(spans_, [](const Tried& it) { return it.span.dtype == CONVOY_F16; });
  if (is_narrow) exponent /= 4;
  for (std::size_t i = 0; i < spans_.size(); ++i) {
    const std::uint32_t dtype = spans_[i].span.dtype;
    for (std::size_t n = 0; n < kNumbers; ++n)
      bits_[i][n] = bits_of(usual_number(n, exponent), dtype);
    spans_[i].memory.allow_writes(true);
    switch (plan::dtype_bytes(dtype)) {
      case sizeof(std::uint32_t):
        put<std::uint32_t>(i, variant);
        break;
      case sizeof(std::uint16_t):
        put<std::uint16_t>(i, variant);
        break;
      default:
        put<std::uint8_t>(i, variant);
    }
    spans_[i].memory.allow_writes(spans_[i].written);
  }
}

template <typename Word>
void TrialSpans::put(std::size_t span, unsigned variant) {
  auto* const words = reinterpret_cast<Word*>(spans_[span].memory.data());
  const std::uint64_t count = spans_[span].span.count;
  if (!holds_floats(spans_[span].span.dtype)) {
    std::fill_n(words, count, static_cast<Word>(filled_bits(span, variant, 0)));
    return;
  }
  // Writes whole periods of the numbers, as many as fit into a cache, and then copies them.
  constexpr std::uint64_t kBlock = kNumbers * 512;
  const std::size_t first = first_number(span, variant);
  for (std::uint64_t k = 0; k < std::min(count, kBlock); ++k)
    words[k] = static_cast<Word>(bits_[span][(first + k) % kNumbers]);
  for (std::uint64_t k = kBlock; k < count; k += kBlock)
    std::memcpy(words + k, words, std::min(kBlock, count - k) * sizeof(Word));
}

std::size_t TrialSpans::first_number(std::size_t span, unsigned variant) const {
  return (3 * span + 5 * (spans_[span].read ? 0 : variant)) % kNumbers;
}

std::uint32_t TrialSpans::filled_bits(std::size_t span, unsigned variant,
                                      std::uint64_t element) const {
  const std::uint32_t dtype = spans_[span].span.dtype;
  if (holds_floats(dtype)) return bits_[span][(first_number(span, variant) + element) % kNumbers];
  if (spans_[span].read || variant == 0) return 0;
  return kOtherBits >> (32 - 8 * plan::dtype_bytes(dtype));
}

float TrialSpans::filled_number(std::size_t span, std::uint64_t element) const {
  return number_of(filled_bits(span, 0, element), spans_[span].span.dtype);
}

float TrialSpans::number(std::size_t span, std::uint64_t element) const {
  const std::uint32_t dtype = spans_[span].span.dtype;
  if (dtype == CONVOY_F32) {  // most spans have this type, and the comparison must be fast
    float value = 0;
    std::memcpy(&value, spans_[span].memory.data() + element * sizeof(value), sizeof(value));
    return value;
  }
  return number_of(bits_at(spans_[span].memory.data() + element * plan::dtype_bytes(dtype), dtype),
                   dtype);
}

bool TrialSpans::is_filled(std::size_t span, unsigned variant, std::uint64_t element,
                           const std::byte* bytes) const {
  return bits_at(bytes, spans_[span].span.dtype) == filled_bits(span, variant, element);
}

std::uint64_t bytes_of_spans(const plan::Operation& call) {
  std::vector<plan::PlanSpan> spans;
  std::uint64_t bytes = 0;
  for (const plan::SpanList* list : {&call.reads, &call.writes})
    for (const plan::PlanSpan& span : *list) {
      if (std::any_of(spans.begin(), spans.end(),
                      [&](const plan::PlanSpan& it) { return plan::same_span(it, span); }))
        continue;
      spans.push_back(span);
      bytes += span.count * plan::dtype_bytes(span.dtype);
    }
  return bytes;
}

double precision_of(std::uint32_t dtype) {
  if (dtype == CONVOY_F16) return 0x1p-10;
  if (dtype == CONVOY_BF16) return 0x1p-7;
  return std::numeric_limits<float>::epsilon();
}

}  // namespace convoy::runtime
