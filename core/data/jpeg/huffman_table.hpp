#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace convoy::data {

// What a Huffman code of a JPEG file stands for. Aligned, so that it is read at once.
struct alignas(4) HuffmanSymbol {
  std::uint8_t bits = 0;  // of the code and of the value that follows it; 0: no such code
  std::uint8_t size = 0;  // bits of the value alone
  std::uint8_t run = 0;   // zero coefficients before the value
};

// Past every coefficient of a block: its other coefficients are zero.
inline constexpr int kEndOfBlock = 64;

// One of a JPEG file's code tables, made for decoding: the entry of a short code also says how many
// bits its value has, so that what follows can be looked up before the value is known.
class HuffmanTable {
 public:
  // `counts`: codes of 1 ... 16 bits; `symbols`: as many, in the order of the codes. False if they
  // are no table for coefficients: too many codes, or values no baseline file has.
  bool set(std::span<const std::uint8_t, 16> counts, std::span<const std::uint8_t> symbols,
           bool differences);

  // The symbol with which `bits` begin, at their high end.
  HuffmanSymbol find(std::uint64_t bits) const {
    const HuffmanSymbol symbol = short_codes_[bits >> (64 - kShortBits)];
    return symbol.bits != 0 ? symbol : find_long(bits);
  }

 private:
  static constexpr int kShortBits = 10;

  HuffmanSymbol find_long(std::uint64_t bits) const;

  std::array<HuffmanSymbol, 1 << kShortBits> short_codes_;
  std::array<HuffmanSymbol, 256> symbols_;     // in the order of the codes
  std::array<std::uint32_t, 17> code_ends_;    // by length: behind the last code
  std::array<std::uint32_t, 17> first_codes_;  // by length
  std::array<std::uint32_t, 17> first_symbols_;
};

}  // namespace convoy::data
