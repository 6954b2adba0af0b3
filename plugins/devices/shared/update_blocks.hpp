#pragma once

#include <convoy/abi.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace convoy {

// Cuts the first `count` elements of an update into blocks of at most `block_elements` consecutive
// elements, in ascending order. Weight decay applies to all elements of a block or to none. The
// update's decayed ranges must ascend. Block has the members first, count and decayed.
template <typename Block>
void cut_into_blocks(const convoy_update& update, std::uint64_t count, std::uint64_t block_elements,
                     std::vector<Block>& blocks) {
  blocks.clear();
  const auto add = [&](std::uint64_t first, std::uint64_t last, bool decayed) {
    for (; first < last; first += block_elements)
      blocks.push_back({first,
                        static_cast<decltype(Block::count)>(std::min(block_elements, last - first)),
                        static_cast<decltype(Block::decayed)>(decayed)});
  };
  std::uint64_t next = 0;
  for (std::uint64_t i = 0; i < update.decayed_count; ++i) {
    const convoy_decay_range& range = update.decayed[i];
    const std::uint64_t from = std::clamp(range.first, next, count);
    const std::uint64_t to = std::clamp(range.first + range.count, next, count);
    add(next, from, false);
    add(from, to, true);
    next = to;
  }
  add(next, count, false);
}

}  // namespace convoy
