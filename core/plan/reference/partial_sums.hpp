#pragma once

#include <algorithm>
#include <cstdint>

namespace convoy::plan {

// Sums in double in the order in which the CPU device adds, so that they have the same bits.

inline constexpr std::uint64_t kSumChunk = 65536;  // elements of a chunk, which is summed by itself

// Returns the sum of term(i) for all i below count, in eight partial sums, with the remaining terms
// after them.
template <typename Term>
double lane_sum(std::uint64_t count, const Term& term) {
  constexpr std::uint64_t kLanes = 8;
  double lanes[kLanes] = {};
  double total = 0;
  for (std::uint64_t i = 0; i < count; ++i)
    (i < count / kLanes * kLanes ? lanes[i % kLanes] : total) += term(i);
  for (const double lane : lanes) total += lane;
  return total;
}

// The sum of chunk(first, end) over all chunks.
template <typename Chunk>
double chunk_sum(std::uint64_t count, const Chunk& chunk) {
  double total = 0;
  for (std::uint64_t first = 0; first < count; first += kSumChunk)
    total += chunk(first, std::min(first + kSumChunk, count));
  return total;
}

}  // namespace convoy::plan
