#include "plugins/devices/cuda/operations/update_plan.hpp"

#include <algorithm>

namespace convoy::cuda {
namespace {

// Elements that one block of threads updates: 8 accesses of 16 bytes per thread. The number is
// small, so that a part of a bucket still occupies most of a GPU.
constexpr std::uint64_t kBlockElements = 8192;

void add_blocks(std::vector<UpdateBlock>& blocks, std::uint64_t first, std::uint64_t last,
                bool decayed) {
  for (; first < last; first += kBlockElements) {
    const std::uint64_t count = std::min(kBlockElements, last - first);
    blocks.push_back({first, static_cast<std::uint32_t>(count), decayed ? 1u : 0u});
  }
}

const float* scalar_of(const convoy_region& region) {
  return static_cast<const float*>(region.data);
}

}  // namespace

// The read of the loss scale comes before that of the norm, which is last.
UpdateGuard update_guard(const convoy_submission& operation) {
  UpdateGuard guard{};
  const bool normed = (operation.flags & CONVOY_OP_NORMED) != 0;
  if ((operation.flags & CONVOY_OP_LOSS_SCALED) != 0)
    guard.loss_scale = scalar_of(operation.reads[operation.read_count - (normed ? 2 : 1)]);
  if (!normed) return guard;
  guard.norm = scalar_of(operation.reads[operation.read_count - 1]);
  guard.limit = operation.scalar;
  guard.skip_non_finite = (operation.flags & CONVOY_OP_SKIP_NON_FINITE) != 0;
  return guard;
}

std::vector<UpdateBlock> cut_into_blocks(const convoy_update& update, std::uint64_t count) {
  std::vector<UpdateBlock> blocks;
  std::uint64_t next = 0;
  for (std::uint64_t i = 0; i < update.decayed_count; ++i) {
    const convoy_decay_range& range = update.decayed[i];
    const std::uint64_t from = std::clamp(range.first, next, count);
    const std::uint64_t to = std::clamp(range.first + range.count, next, count);
    add_blocks(blocks, next, from, false);
    add_blocks(blocks, from, to, true);
    next = to;
  }
  add_blocks(blocks, next, count, false);
  return blocks;
}

}  // namespace convoy::cuda
