#pragma once

#include <cstdint>
#include <string>
#include <type_traits>

#include "core/plan/check/symbolic/values.hpp"

namespace convoy::plan::check {

// Fingerprints stand for the contents of memory instead of numbers: equal fingerprints are equal
// contents. The fingerprint of a sum is the sum of the fingerprints.
inline Fingerprint sum(const Fingerprint& a, const Fingerprint& b) {
  return {field_add(a.a, b.a), field_add(a.b, b.b)};
}
inline Fingerprint times(const Fingerprint& it, std::uint64_t weight) {
  return {field_multiply(it.a, weight), field_multiply(it.b, weight)};
}

// Makes a fingerprint of the given words in this order.
class FingerprintHasher {
 public:
  template <typename... Words>
  explicit FingerprintHasher(Words... words) {
    (add(words), ...);
  }
  template <typename Word>
  requires std::is_integral_v<Word> || std::is_enum_v<Word>
  void add(Word word) {
    const auto bits = static_cast<std::uint64_t>(word);
    a_ = folded(a_ ^ bits, 0x9e3779b97f4a7c15);
    b_ = folded(b_ ^ bits, 0xd1b54a32d192ed03);
  }
  void add(const Fingerprint& it) {
    add(it.a);
    add(it.b);
  }
  void add(const std::string& text) {
    add(text.size());
    for (const char it : text) add(static_cast<unsigned char>(it));
  }
  // Elements of the field, never 0.
  Fingerprint fingerprint() const { return {field_hash(a_, 1), field_hash(b_, 2)}; }

 private:
  // Both halves of a product of 128 bits.
  static std::uint64_t folded(std::uint64_t a, std::uint64_t b) {
    __extension__ using Wide = unsigned __int128;
    const Wide product = static_cast<Wide>(a) * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
  }

  std::uint64_t a_ = 0x243f6a8885a308d3;
  std::uint64_t b_ = 0x13198a2e03707344;
};

template <typename... Words>
Fingerprint fingerprint_of(Words... words) {
  return FingerprintHasher(words...).fingerprint();
}

// The first word of a fingerprint, which says what it describes.
enum Tag : std::uint64_t {
  kFirstParameters = 1,
  kUnwritten,
  kOne,
  kFreshState,
  kHeldState,
  kRounded,
  kExtreme,
  kLoose,
  kUpdated,
  kUpdatedState,
  kWritten,
  kForwardReads,
  kBackwardReads,
  kGradientOf,
  kLeft,
  kCalled,
};

}  // namespace convoy::plan::check
