#include "plugins/devices/cpu/operations/operations.hpp"

#include <algorithm>
#include <cmath>

#include "plugins/devices/cpu/chunked_sum.hpp"
#include "plugins/devices/cpu/kernels/table.hpp"
#include "plugins/devices/cpu/operations/update_constants.hpp"

namespace convoy::cpu {
namespace {

struct Gradient {
  ApplyConstants plain;
  ApplyConstants decayed;
  const float* sum;
  const float* parameters;  // null: without weight decay and gradient scale
};

double stretch(const Gradient& gradient, bool decayed, std::size_t first, std::size_t last) {
  if (first >= last) return 0.0;
  return kernels().gradient_square_sum(
      decayed ? gradient.decayed : gradient.plain, gradient.sum + first,
      gradient.parameters == nullptr ? nullptr : gradient.parameters + first, last - first);
}

// Decayed ranges are in ascending order.
double chunk_sum(const convoy_update& update, const Gradient& gradient, std::size_t first,
                 std::size_t last) {
  double total = 0.0;
  std::size_t next = first;
  const std::uint64_t ranges = gradient.parameters == nullptr ? 0 : update.decayed_count;
  for (std::uint64_t i = 0; i < ranges; ++i) {
    const convoy_decay_range& range = update.decayed[i];
    const std::size_t from = std::clamp<std::size_t>(range.first, next, last);
    const std::size_t to = std::clamp<std::size_t>(range.first + range.count, next, last);
    total += stretch(gradient, false, next, from);
    total += stretch(gradient, true, from, to);
    next = to;
  }
  return total + stretch(gradient, false, next, last);
}

double square_sum(const convoy_update& update, const Gradient& gradient, std::size_t count) {
  return chunked_sum(count, [&](std::size_t first, std::size_t end) {
    return chunk_sum(update, gradient, first, end);
  });
}

void store(const convoy_submission& operation, double result) {
  if (operation.result != nullptr) *operation.result = result;
}

}  // namespace

void norm(const convoy_submission& operation) {
  required_optimizer(operation);
  const std::uint64_t scales = (operation.flags & CONVOY_OP_LOSS_SCALED) != 0 ? 1 : 0;
  const bool whole = operation.read_count > 1 + scales;
  Gradient gradient{};
  gradient.decayed = update_constants(operation);
  gradient.plain = gradient.decayed;
  gradient.plain.weight_decay = 0.0f;
  gradient.sum = static_cast<const float*>(operation.reads[0].data);
  if (whole) gradient.parameters = static_cast<const float*>(operation.reads[1].data);
  const double sum = square_sum(*operation.updates[0], gradient, operation.reads[0].count);
  store(operation, sum);
  *static_cast<float*>(operation.writes[0].data) = static_cast<float>(std::sqrt(sum));
}

void adapt_loss_scale(const convoy_submission& operation) {
  auto* state = static_cast<float*>(operation.writes[0].data);  // scale, clean steps
  store(operation, static_cast<double>(state[0]));
  const auto* norms = static_cast<const float*>(operation.reads[0].data);
  const bool finite = std::all_of(norms, norms + operation.reads[0].count,
                                  [](float value) { return std::isfinite(value); });
  if (finite && static_cast<double>(state[1]) < static_cast<double>(operation.sizes[0])) {
    state[1] += 1.0f;
    return;
  }
  const float adapted = finite ? 2.0f * state[0] : state[0] / 2.0f;
  if (std::isnormal(adapted)) state[0] = adapted;
  state[1] = 0.0f;
}

}  // namespace convoy::cpu
