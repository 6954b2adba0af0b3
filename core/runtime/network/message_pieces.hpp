#pragma once

#include <algorithm>
#include <cstdint>

namespace convoy::runtime {

// A message is cut so that each of `streams` carries about the same number of bytes. A single
// stream does not reach the network's rate, because clouds limit it and one thread serves it.
// Pieces smaller than this cost more than they gain.
constexpr std::uint64_t kSmallestPiece = std::uint64_t{1} << 20;

// Bytes of the pieces, of which the last may be shorter; piece k goes over stream k % streams. The
// same at both ends.
inline std::uint64_t piece_bytes(std::uint64_t bytes, std::uint32_t streams,
                                 std::uint64_t largest) {
  return std::min(largest, std::max(kSmallestPiece, (bytes + streams - 1) / streams));
}

}  // namespace convoy::runtime
