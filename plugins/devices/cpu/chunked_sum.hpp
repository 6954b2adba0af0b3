#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "plugins/devices/cpu/lanes/team.hpp"

namespace convoy::cpu {

// Adds up chunk(first, end) over chunks of 65536 of `count` elements, on the team of the calling
// thread, in an order that does not depend on how many threads it has. The chunks must not throw.
template <typename Chunk>
double chunked_sum(std::size_t count, const Chunk& chunk) {
  constexpr std::size_t kChunk = 65536;
  thread_local std::vector<double> partial;
  const std::size_t chunks = (count + kChunk - 1) / kChunk;
  partial.resize(std::max(partial.size(), chunks));
  double* sums = partial.data();
  parallel_indices(chunks, [&](std::size_t index) {
    const std::size_t first = index * kChunk;
    sums[index] = chunk(first, std::min(first + kChunk, count));
  });
  double total = 0.0;
  for (std::size_t index = 0; index < chunks; ++index) total += sums[index];
  return total;
}

}  // namespace convoy::cpu
