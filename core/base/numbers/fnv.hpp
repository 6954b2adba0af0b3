#pragma once

#include <cstdint>
#include <string_view>

namespace convoy {

// The hash FNV-1a: not cryptographic; it notices disagreement and names files. Values stand in
// files and travel between hosts, so they are the same everywhere.
template <typename Word, Word kBasis, Word kPrime>
class Fnv1a {
 public:
  // A whole word at once.
  void add_word(Word word) { value_ = (value_ ^ word) * kPrime; }
  // One byte after the other, as FNV-1a is defined.
  void add_bytes(std::string_view bytes) {
    for (const char byte : bytes) add_word(static_cast<unsigned char>(byte));
  }
  Word value() const { return value_; }

 private:
  Word value_ = kBasis;
};

using Fnv1a32 = Fnv1a<std::uint32_t, 2166136261u, 16777619u>;
using Fnv1a64 = Fnv1a<std::uint64_t, 0xcbf29ce484222325u, 0x100000001b3u>;

}  // namespace convoy
