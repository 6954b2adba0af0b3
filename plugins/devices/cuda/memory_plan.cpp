#include "plugins/devices/cuda/memory_plan.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace convoy::cuda {
namespace {

// Of every buffer, so that all accesses of 16 bytes and whole cache lines fit.
constexpr std::uint64_t kAlignment = 512;

}  // namespace

MemoryPlan::Id MemoryPlan::add(std::uint64_t bytes) {
  const std::uint64_t whole = (std::max<std::uint64_t>(bytes, 1) + kAlignment - 1) / kAlignment;
  buffers_.push_back({whole * kAlignment, std::numeric_limits<std::size_t>::max(), 0, 0});
  return buffers_.size() - 1;
}

void MemoryPlan::use(Id id, std::size_t time) {
  Buffer& buffer = buffers_.at(id);
  buffer.first = std::min(buffer.first, time);
  buffer.last = std::max(buffer.last, time);
}

// The lowest gap between the placed buffers that live at the same time.
void MemoryPlan::place_one(Id id, const std::vector<Id>& placed) {
  Buffer& buffer = buffers_[id];
  std::uint64_t offset = 0;
  for (const Id other_id : placed) {  // ascending offsets
    const Buffer& other = buffers_[other_id];
    if (other.last < buffer.first || buffer.last < other.first) continue;
    if (offset + buffer.bytes <= other.offset) break;
    offset = std::max(offset, other.offset + other.bytes);
  }
  buffer.offset = offset;
  bytes_ = std::max(bytes_, offset + buffer.bytes);
}

// Largest buffers first: a simple rule that comes near the best packing.
void MemoryPlan::place() {
  std::vector<Id> order(buffers_.size());
  std::iota(order.begin(), order.end(), Id{0});
  std::stable_sort(order.begin(), order.end(),
                   [this](Id a, Id b) { return buffers_[a].bytes > buffers_[b].bytes; });
  std::vector<Id> placed;
  for (const Id id : order) {
    if (buffers_[id].first > buffers_[id].last) continue;  // never used
    place_one(id, placed);
    const auto by_offset = [this](Id a, Id b) { return buffers_[a].offset < buffers_[b].offset; };
    placed.insert(std::upper_bound(placed.begin(), placed.end(), id, by_offset), id);
  }
}

}  // namespace convoy::cuda
