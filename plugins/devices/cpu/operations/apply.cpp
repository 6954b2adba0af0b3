#include "plugins/devices/cpu/operations/operations.hpp"

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "plugins/devices/cpu/kernels/table.hpp"
#include "plugins/devices/cpu/lanes/team.hpp"
#include "plugins/devices/cpu/operations/update_constants.hpp"
#include "plugins/devices/shared/update_blocks.hpp"

namespace convoy::cpu {
namespace {

// Floats of a gradient sum, which are applied while they are in the first-level cache.
constexpr std::size_t kSumChunk = 1024;
// Elements of parameters. Their squares are summed and they are updated while they are in the
// second-level cache.
constexpr std::size_t kUpdateBlock = 16384;

float* elements_of(const convoy_region& region) {
  return static_cast<float*>(region.data);
}

// Consecutive elements, all with or all without weight decay.
struct UpdateBlock {
  std::size_t first;
  std::size_t count;
  bool decayed;
};

// Adds from left to right, like sum.
void add_gradients(const convoy_submission& operation, std::uint64_t reads, std::size_t first,
                   std::size_t count, float* total) {
  kernels().add(total, elements_of(operation.reads[0]) + first,
                elements_of(operation.reads[1]) + first, count);
  for (std::uint64_t read = 2; read < reads; ++read) {
    kernels().add(total, total, elements_of(operation.reads[read]) + first, count);
  }
}

void update_block(const convoy_submission& operation, const ApplyConstants& constants,
                  const UpdateBlock& block) {
  alignas(64) float total[kSumChunk];
  const std::uint64_t reads = element_reads(operation);
  const std::size_t step = reads > 1 || operation.write_count > 1 ? kSumChunk : block.count;
  for (std::size_t done = 0; done < block.count; done += step) {
    const std::size_t first = block.first + done;
    const std::size_t size = std::min(step, block.count - done);
    const float* gradient = elements_of(operation.reads[0]) + first;
    if (reads > 1) {
      add_gradients(operation, reads, first, size, total);
      gradient = total;
    }
    for (std::uint64_t write = 0; write < operation.write_count; ++write) {
      float* const* state = operation.updates[write]->state;
      kernels().apply(constants, elements_of(operation.writes[write]) + first, gradient,
                      state[0] == nullptr ? nullptr : state[0] + first,
                      state[1] == nullptr ? nullptr : state[1] + first, size);
    }
  }
}

void check_update(const convoy_submission& operation) {
  if (operation.update_count < operation.write_count)
    throw std::invalid_argument("apply came without its optimizer");
  for (std::uint64_t write = 0; write < operation.write_count; ++write)
    require_state(operation, write);
}

}  // namespace

// Square sums are added in the order of the blocks, for any number of threads.
void apply(const convoy_submission& operation) {
  check_update(operation);
  thread_local std::vector<UpdateBlock> kept_blocks;
  thread_local std::vector<double> kept_sums;
  const convoy_update& update = *operation.updates[0];
  const bool skipped = is_skipped(operation);
  if (skipped && update.square_sum == nullptr) return;
  cut_into_blocks(update, operation.writes[0].count, kUpdateBlock, kept_blocks);
  kept_sums.resize(std::max(kept_sums.size(), kept_blocks.size()));
  const UpdateBlock* blocks = kept_blocks.data();
  double* sums = kept_sums.data();
  const std::size_t count = kept_blocks.size();
  const ApplyConstants decayed = update_constants(operation);
  ApplyConstants plain = decayed;
  plain.weight_decay = 0.0f;
  parallel_indices(count, [&](std::size_t i) {
    const UpdateBlock& block = blocks[i];
    if (update.square_sum != nullptr && block.decayed) {
      const float* values = elements_of(operation.writes[0]) + block.first;
      sums[i] = kernels().dot(values, values, block.count);
    }
    if (!skipped) update_block(operation, block.decayed ? decayed : plain, block);
  });
  if (update.square_sum == nullptr) return;
  *update.square_sum = 0.0;
  for (std::size_t i = 0; i < count; ++i) {
    if (blocks[i].decayed) *update.square_sum += sums[i];
  }
}

}  // namespace convoy::cpu
