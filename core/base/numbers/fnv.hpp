#pragma once

#include <cstdint>
#include <string_view>

namespace convoy {

// The FNV-1a hash. It is not cryptographic. It detects differences and names files. Its values are
// stored in files and sent between hosts, so they are the same on every machine.
template <typename Word, Word kBasis, Word kPrime>
class Fnv1a {
 public:
  // Adds a whole word in one step.
  void add_word(Word word) { value_ = (value_ ^ word) * kPrime; }
  // Adds byte by byte, as FNV-1a is defined.
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
