#include "plugins/devices/cuda/operations/update_plan.hpp"

#include "plugins/devices/shared/update_blocks.hpp"

namespace convoy::cuda {
namespace {

// Elements that one block of threads updates: 8 accesses of 16 bytes per thread. The number is
// small, so that a part of a bucket still occupies most of a GPU.
constexpr std::uint64_t kBlockElements = 8192;

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

std::vector<UpdateBlock> update_blocks(const convoy_update& update, std::uint64_t count) {
  std::vector<UpdateBlock> blocks;
  cut_into_blocks(update, count, kBlockElements, blocks);
  return blocks;
}

}  // namespace convoy::cuda
