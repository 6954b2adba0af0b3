#pragma once

#include <cstdint>

namespace convoy::plan::check {

// Arithmetic modulo the Mersenne prime 2^61 - 1: large enough that two different linear
// combinations of a plan share a fingerprint with probability below 2^-50.
inline constexpr std::uint64_t kPrime = (std::uint64_t{1} << 61) - 1;

inline std::uint64_t field_add(std::uint64_t a, std::uint64_t b) {
  const std::uint64_t sum = a + b;
  return sum >= kPrime ? sum - kPrime : sum;
}

inline std::uint64_t field_negative(std::uint64_t a) {
  return a == 0 ? 0 : kPrime - a;
}

inline std::uint64_t field_subtract(std::uint64_t a, std::uint64_t b) {
  return field_add(a, field_negative(b));
}

inline std::uint64_t field_multiply(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return field_add(static_cast<std::uint64_t>(product) & kPrime,
                   static_cast<std::uint64_t>(product >> 61));
}

inline std::uint64_t field_power(std::uint64_t base, std::uint64_t exponent) {
  std::uint64_t result = 1;
  for (; exponent > 0; exponent >>= 1) {
    if ((exponent & 1) != 0) result = field_multiply(result, base);
    base = field_multiply(base, base);
  }
  return result;
}

inline std::uint64_t field_inverse(std::uint64_t a) {
  return field_power(a, kPrime - 2);
}

inline std::uint64_t field_divide(std::uint64_t a, std::uint64_t b) {
  return field_multiply(a, field_inverse(b));
}

// Returns a well mixed element that depends on both words; never 0.
inline std::uint64_t field_hash(std::uint64_t word, std::uint64_t seed) {
  std::uint64_t z = word * 0x9e3779b97f4a7c15ull + seed * 0xd1b54a32d192ed03ull + seed;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ z >> 27) * 0x94d049bb133111ebull;
  z ^= z >> 31;
  const std::uint64_t folded = field_add(z & kPrime, z >> 61);
  return folded == 0 ? 1 : folded;
}

}  // namespace convoy::plan::check
