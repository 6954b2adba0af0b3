#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/plan/operation.hpp"
#include "core/runtime/trial/fenced_memory.hpp"

namespace convoy::runtime {

// The memory of a call that is tried, and its contents. Spans of floats contain numbers such as
// gradients have, other spans zeros.
class TrialSpans {
 public:
  struct Tried {
    plan::PlanSpan span;
    bool read = false, written = false;
    FencedMemory memory;
  };

  TrialSpans(const plan::Operation& call, FencedMemory::Side at_guard);

  // All spans, each once, because a kernel may write a span that it reads.
  const std::vector<Tried>& all() const { return spans_; }
  const Tried& operator[](std::size_t span) const { return spans_[span]; }
  // The indices of the spans that the call reads and writes, in its order.
  const std::vector<std::size_t>& reads() const { return reads_; }
  const std::vector<std::size_t>& writes() const { return writes_; }
  bool are_floats() const;

  // Fills the spans and write-protects those that are only read. `variant` changes the spans that
  // are only written. All numbers are multiplied by 2^exponent, or by less if a span is f16.
  void fill(unsigned variant, int exponent);
  // The period, in elements, with which numbers repeat.
  static constexpr std::size_t kNumbers = 13;
  // The number that an element had after the last fill(), which was for variant 0.
  float filled_number(std::size_t span, std::uint64_t element) const;
  // The number that the element has now.
  float number(std::size_t span, std::uint64_t element) const;
  // Whether the bytes of an element are those that fill() writes.
  bool is_filled(std::size_t span, unsigned variant, std::uint64_t element,
                 const std::byte* bytes) const;

 private:
  std::vector<std::size_t> indices_of(const plan::SpanList& list) const;
  std::size_t first_number(std::size_t span, unsigned variant) const;
  std::uint32_t filled_bits(std::size_t span, unsigned variant, std::uint64_t element) const;
  template <typename Word>
  void put(std::size_t span, unsigned variant);

  std::vector<Tried> spans_;
  std::vector<std::size_t> reads_, writes_;
  // By span: the numbers of the last fill(), as bits of the span's type.
  std::vector<std::array<std::uint32_t, kNumbers>> bits_;
};

// Bytes of the memory of a call's spans.
std::uint64_t bytes_of_spans(const plan::Operation& call);

// Returns the distance between neighbouring numbers of a floating-point type, relative to them.
double precision_of(std::uint32_t dtype);

}  // namespace convoy::runtime
