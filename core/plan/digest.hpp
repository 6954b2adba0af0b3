#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "core/plan/operation.hpp"

namespace convoy {

// FNV-1a over 64-bit words: not cryptographic, it only has to notice disagreement between hosts, or
// between two writings of one plan.
class Digest {
 public:
  void add(std::uint64_t word) { value_ = (value_ ^ word) * 0x100000001b3ull; }
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
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325ull;
};

}  // namespace convoy
