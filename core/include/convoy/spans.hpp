#pragma once

// Names for memory in a plan: Buffer, Span, Range.

#include <convoy/abi.h>
#include <convoy/plan_types.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace convoy {

using Span = convoy_span;  // a range of a buffer: a name, not a pointer

// Memory of `count` elements in a place. buffer[range] is a span of it; a buffer by itself is all
// of it.
struct Buffer {
  std::uint32_t id;
  Dtype dtype;
  std::uint64_t count;

  Span operator[](Range range) const {
    return {id, static_cast<std::uint32_t>(dtype), range.first, range.count};
  }
  operator Span() const { return (*this)[{0, count}]; }
};

// The part of a span that starts `first` elements into it.
inline Span part(Span span, std::uint64_t first, std::uint64_t count) {
  return {span.buffer, span.dtype, span.first + first, count};
}

// Cuts a range into equal pieces; the first ones take the remainder, one element each. Pieces
// without an element are left out.
inline std::vector<Range> split(Range range, std::uint64_t pieces) {
  std::vector<Range> result;
  for (std::uint64_t i = 0; i < pieces; ++i) {
    const std::uint64_t begin = range.count / pieces * i + std::min(i, range.count % pieces);
    const std::uint64_t size = range.count / pieces + (i < range.count % pieces ? 1 : 0);
    if (size > 0) result.push_back({range.first + begin, size});
  }
  return result;
}

}  // namespace convoy
