#include "core/data/jpeg/huffman_table.hpp"

#include <algorithm>

namespace convoy::data {
namespace {

constexpr int kLongestCode = 16;
constexpr int kLargestDifference = 11;  // the most bits of a DC difference of 8-bit pixels
constexpr int kLargestValue = 10;       // the most bits of another coefficient
constexpr int kSixteenZeros = 0xf0;

// Returns the meaning of a symbol. `bits` stays 0 if no baseline file has this symbol.
HuffmanSymbol meaning_of(std::uint8_t symbol, int length, bool differences) {
  const int run = symbol >> 4, size = symbol & 15;
  HuffmanSymbol meaning;
  if (differences ? symbol > kLargestDifference : size > kLargestValue) return meaning;
  if (!differences && size == 0 && symbol != 0 && symbol != kSixteenZeros) return meaning;
  meaning.bits = static_cast<std::uint8_t>(length + size);
  meaning.size = static_cast<std::uint8_t>(size);
  meaning.run = static_cast<std::uint8_t>(!differences && symbol == 0 ? kEndOfBlock : run);
  return meaning;
}

}  // namespace

bool HuffmanTable::set(std::span<const std::uint8_t, 16> counts,
                       std::span<const std::uint8_t> symbols, bool differences) {
  short_codes_.fill({});
  std::uint32_t code = 0, next = 0;
  for (int length = 1; length <= kLongestCode; ++length, code <<= 1) {
    const auto at = static_cast<std::size_t>(length);
    const std::uint32_t count = counts[at - 1];
    if (code + count > (1u << length) || next + count > symbols.size()) return false;
    first_codes_[at] = code;
    first_symbols_[at] = next;
    code_ends_[at] = code + count;
    for (std::uint32_t i = 0; i < count; ++i, ++code, ++next) {
      const HuffmanSymbol symbol = meaning_of(symbols[next], length, differences);
      if (symbol.bits == 0) return false;
      symbols_[next] = symbol;
      if (length > kShortBits) continue;
      const int rest = kShortBits - length;
      std::fill_n(short_codes_.begin() + (code << rest), 1u << rest, symbol);
    }
  }
  return true;
}

HuffmanSymbol HuffmanTable::find_long(std::uint64_t bits) const {
  for (std::size_t length = kShortBits + 1; length <= kLongestCode; ++length) {
    const auto code = static_cast<std::uint32_t>(bits >> (64 - length));
    if (code < code_ends_[length] && code >= first_codes_[length])
      return symbols_[first_symbols_[length] + code - first_codes_[length]];
  }
  return {};
}

}  // namespace convoy::data
