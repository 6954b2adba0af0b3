#include "plugins/devices/cpu/apply.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "plugins/devices/cpu/kernels/table.hpp"
#include "plugins/devices/cpu/team.hpp"
#include "plugins/devices/cpu/update_constants.hpp"

namespace convoy::cpu {
namespace {

struct ApplyRegions {
  float* parameters;
  const float* gradient;
  float* state0;
  float* state1;
};

void apply_stretch(const ApplyConstants& constants, const ApplyRegions& at, std::size_t first,
                   std::size_t last) {
  if (first >= last) return;
  kernels().apply(constants, at.parameters + first, at.gradient + first,
                  at.state0 == nullptr ? nullptr : at.state0 + first,
                  at.state1 == nullptr ? nullptr : at.state1 + first, last - first);
}

// Decayed ranges come in ascending order.
void apply_part(const convoy_update& update, const ApplyConstants& decayed,
                const ApplyRegions& regions, std::size_t first, std::size_t count) {
  ApplyConstants plain = decayed;
  plain.weight_decay = 0.0f;
  const std::size_t last = first + count;
  std::size_t next = first;
  for (std::uint64_t i = 0; i < update.decayed_count; ++i) {
    const convoy_decay_range& range = update.decayed[i];
    const std::size_t from = std::clamp<std::size_t>(range.first, next, last);
    const std::size_t to = std::clamp<std::size_t>(range.first + range.count, next, last);
    apply_stretch(plain, regions, next, from);
    apply_stretch(decayed, regions, from, to);
    next = to;
  }
  apply_stretch(plain, regions, next, last);
}

double decayed_square_sum(const convoy_update& update, const float* parameters) {
  constexpr std::size_t kChunk = 65536;
  double total = 0.0;
  thread_local std::vector<double> partial;
  for (std::uint64_t i = 0; i < update.decayed_count; ++i) {
    const convoy_decay_range& range = update.decayed[i];
    const std::size_t chunks = (range.count + kChunk - 1) / kChunk;
    partial.resize(std::max(partial.size(), chunks));
    double* sums = partial.data();
    parallel_indices(chunks, [&](std::size_t chunk) {
      const std::size_t first = chunk * kChunk;
      const std::size_t size = std::min(kChunk, static_cast<std::size_t>(range.count) - first);
      sums[chunk] = kernels().square_sum(parameters + range.first + first, size);
    });
    for (std::size_t chunk = 0; chunk < chunks; ++chunk) total += sums[chunk];
  }
  return total;
}

void check(const convoy_submission& operation) {
  if (operation.update == nullptr || operation.update->optimizer == nullptr) {
    throw std::invalid_argument("apply came without its optimizer");
  }
  const convoy_optimizer& rule = *operation.update->optimizer;
  constexpr std::uint32_t kSlots[] = {0, 1, 2, 2};
  if (rule.kind > CONVOY_OPTIMIZER_ADAM) {
    throw std::invalid_argument("unknown optimizer " + std::to_string(rule.kind));
  }
  for (std::uint32_t slot = 0; slot < kSlots[rule.kind]; ++slot) {
    if (operation.update->state[slot] == nullptr) {
      throw std::invalid_argument("apply came without the optimizer's state");
    }
  }
}

}  // namespace

void apply(const convoy_submission& operation) {
  check(operation);
  const convoy_update& update = *operation.update;
  const ApplyRegions regions{static_cast<float*>(operation.writes[0].data),
                             static_cast<const float*>(operation.reads[0].data), update.state[0],
                             update.state[1]};
  if (update.square_sum != nullptr) {
    *update.square_sum = decayed_square_sum(update, regions.parameters);
  }
  if (is_skipped(operation)) return;
  const ApplyConstants constants = update_constants(operation);
  parallel_stretches(operation.writes[0].count, [&](std::size_t first, std::size_t count) {
    apply_part(update, constants, regions, first, count);
  });
}

}  // namespace convoy::cpu
