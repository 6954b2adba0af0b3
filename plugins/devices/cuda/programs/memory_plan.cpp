#include "plugins/devices/cuda/programs/memory_plan.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "plugins/devices/shared/place_by_lifetime.hpp"

namespace convoy::cuda {
namespace {

// Alignment of every buffer, for accesses of 16 bytes and whole cache lines.
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

void MemoryPlan::place() {
  std::vector<Id> used;
  for (Id id = 0; id < buffers_.size(); ++id)
    if (buffers_[id].first <= buffers_[id].last) used.push_back(id);
  bytes_ = place_by_lifetime(buffers_, std::move(used));
}

}  // namespace convoy::cuda
