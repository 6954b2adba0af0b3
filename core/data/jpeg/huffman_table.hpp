#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace convoy::data {

// The meaning of a Huffman code in a JPEG file. It is aligned, so that one access reads it.
struct alignas(4) HuffmanSymbol {
  std::uint8_t bits = 0;  // bits of the code and of the value that follows it; 0: no such code
  std::uint8_t size = 0;  // bits of the value alone
  std::uint8_t run = 0;   // zero coefficients before the value
};

// A run beyond every coefficient of a block: its other coefficients are zero.
inline constexpr int kEndOfBlock = 64;

// One of a JPEG file's code tables, prepared for decoding. The entry of a short code also says how
// many bits its value has, so the next code can be looked up before the value is known.
class HuffmanTable {
 public:
  // `counts`: the number of codes of 1 ... 16 bits. `symbols`: as many symbols, in the order of the
  // codes. Returns false if they are no table for coefficients, because there are too many codes,
  // or values that no baseline file has.
  bool set(std::span<const std::uint8_t, 16> counts, std::span<const std::uint8_t> symbols,
           bool differences);

  // Returns the symbol whose code is at the high end of `bits`.
  HuffmanSymbol find(std::uint64_t bits) const {
    const HuffmanSymbol symbol = short_codes_[bits >> (64 - kShortBits)];
    return symbol.bits != 0 ? symbol : find_long(bits);
  }

 private:
  static constexpr int kShortBits = 10;

  HuffmanSymbol find_long(std::uint64_t bits) const;

  std::array<HuffmanSymbol, 1 << kShortBits> short_codes_;
  std::array<HuffmanSymbol, 256> symbols_;     // in the order of the codes
  std::array<std::uint32_t, 17> code_ends_;    // by length: the end of the codes
  std::array<std::uint32_t, 17> first_codes_;  // by length
  std::array<std::uint32_t, 17> first_symbols_;
};

}  // namespace convoy::data
