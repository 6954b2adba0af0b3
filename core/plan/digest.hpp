#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "core/base/numbers/fnv.hpp"
#include "core/plan/operation.hpp"

namespace convoy::plan {

// A hash of words that detects differences between hosts, or between two writings of one plan.
class Digest {
 public:
  void add(std::uint64_t word) { hash_.add_word(word); }
  void add(std::string_view text) {
    add(text.size());
    for (const char c : text) add(static_cast<unsigned char>(c));
  }
  void add(std::span<const PlanSpan> spans) {
    add(spans.size());
    for (const PlanSpan& span : spans) {
      add(span.buffer);
      add(span.dtype);
      add(span.first);
      add(span.count);
    }
  }
  std::uint64_t value() const { return hash_.value(); }

 private:
  Fnv1a64 hash_;
};

}  // namespace convoy::plan
