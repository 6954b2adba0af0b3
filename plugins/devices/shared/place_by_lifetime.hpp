#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace convoy {

// Sets the offsets of these buffers so that buffers that live at the same time, from `first` to
// `last`, do not overlap. Returns the bytes of the arena. It places the largest buffers first, each
// in its lowest gap: a simple rule that comes close to the best packing.
template <typename Buffer>
std::uint64_t place_by_lifetime(std::vector<Buffer>& buffers, std::vector<std::size_t> ids) {
  std::stable_sort(ids.begin(), ids.end(), [&](std::size_t a, std::size_t b) {
    return buffers[a].bytes > buffers[b].bytes;
  });
  std::uint64_t total = 0;
  std::vector<std::size_t> placed;  // ascending offsets
  for (const std::size_t id : ids) {
    Buffer& buffer = buffers[id];
    std::uint64_t offset = 0;
    for (const std::size_t other_id : placed) {
      const Buffer& other = buffers[other_id];
      if (other.last < buffer.first || buffer.last < other.first) continue;
      if (offset + buffer.bytes <= other.offset) break;
      offset = std::max<std::uint64_t>(offset, other.offset + other.bytes);
    }
    buffer.offset = offset;
    total = std::max<std::uint64_t>(total, offset + buffer.bytes);
    const auto behind = std::upper_bound(
        placed.begin(), placed.end(), id,
        [&](std::size_t a, std::size_t b) { return buffers[a].offset < buffers[b].offset; });
    placed.insert(behind, id);
  }
  return total;
}

}  // namespace convoy
