#pragma once

#include <algorithm>
#include <cstdint>

namespace convoy::runtime {

// The smallest piece of a message in bytes. A message is cut so that each of `streams` carries
// about the same number of bytes. A single stream does not reach the network's rate, because clouds
// limit it and one thread serves it. Smaller pieces cost more than they gain.
constexpr std::uint64_t kSmallestPiece = std::uint64_t{1} << 20;

// Returns the bytes of each piece; the last piece may be shorter. Piece k goes over stream k %
// streams. Both ends get the same result.
inline std::uint64_t piece_bytes(std::uint64_t bytes, std::uint32_t streams,
                                 std::uint64_t largest) {
  return std::min(largest, std::max(kSmallestPiece, (bytes + streams - 1) / streams));
}

}  // namespace convoy::runtime
