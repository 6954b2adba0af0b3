#include "tests/devices/fake/fake_operations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <convoy/kernel.hpp>
#include <stdexcept>
#include <vector>

#include "core/plan/reference/arithmetic.hpp"
#include "core/plan/reference/guard.hpp"
#include "core/plan/reference/update.hpp"

namespace convoy::testing {
namespace {

// Spans of the operation name its regions: buffer i is read i, then come the writes.
plan::PlanSpan name_region(const convoy_region& region, std::uint64_t index) {
  return {static_cast<std::uint32_t>(index), region.dtype, 0, region.count};
}

void run_elements(const convoy_submission& submission) {
  plan::Operation operation;
  operation.kind = static_cast<plan::OperationKind>(submission.kind);
  operation.reduction = static_cast<std::uint8_t>(submission.reduction);
  operation.scalar = submission.scalar;
  operation.flags = submission.flags;
  std::copy_n(submission.sizes, 4, operation.details.edit().sizes);
  for (std::uint64_t i = 0; i < submission.read_count; ++i)
    operation.reads.push_back(name_region(submission.reads[i], i));
  for (std::uint64_t i = 0; i < submission.write_count; ++i)
    operation.writes.push_back(name_region(submission.writes[i], submission.read_count + i));
  plan::run_arithmetic(operation, [&](const plan::PlanSpan& span) {
    const bool is_read = span.buffer < submission.read_count;
    const convoy_region& region = is_read ? submission.reads[span.buffer]
                                          : submission.writes[span.buffer - submission.read_count];
    return static_cast<std::byte*>(region.data);
  });
}

bool is_decayed(const convoy_update& update, std::uint64_t element) {
  return std::any_of(update.decayed, update.decayed + update.decayed_count, [&](const auto& range) {
    return element >= range.first && element < range.first + range.count;
  });
}

const float* floats(const convoy_region& region) {
  return static_cast<const float*>(region.data);
}

bool has(const convoy_submission& submission, std::uint32_t flag) {
  return (submission.flags & flag) != 0;
}

// The loss scale comes before the norm, which is last.
bool guard(const convoy_submission& submission, plan::UpdateConstants& constants) {
  if (has(submission, CONVOY_OP_LOSS_SCALED))
    plan::include_loss_scale(constants, *floats(submission.reads[1]));
  if (!has(submission, CONVOY_OP_NORMED)) return true;
  const float norm = *floats(submission.reads[submission.read_count - 1]);
  plan::include_norm(constants, norm, submission.scalar);
  return !has(submission, CONVOY_OP_SKIP_NON_FINITE) || std::isfinite(norm);
}

void norm(const convoy_submission& submission) {
  const convoy_update& update = *submission.updates[0];
  plan::UpdateConstants constants =
      plan::update_constants(*update.optimizer, update.contributions, 0, 0);
  const bool scaled = has(submission, CONVOY_OP_LOSS_SCALED);
  if (scaled)
    plan::include_loss_scale(constants, *floats(submission.reads[submission.read_count - 1]));
  const bool whole = submission.read_count > (scaled ? 2 : 1);
  const std::uint64_t count = submission.reads[0].count;
  std::span<const float> parameters;
  if (whole) parameters = {floats(submission.reads[1]), count};
  const double sum =
      plan::gradient_square_sum(constants, {floats(submission.reads[0]), count}, parameters,
                                [&](std::uint64_t i) { return whole && is_decayed(update, i); });
  if (submission.result != nullptr) *submission.result = sum;
  *static_cast<float*>(submission.writes[0].data) = static_cast<float>(std::sqrt(sum));
}

void adapt(const convoy_submission& submission) {
  auto* state = static_cast<float*>(submission.writes[0].data);
  if (submission.result != nullptr) *submission.result = static_cast<double>(state[0]);
  const convoy_region& norms = submission.reads[0];
  plan::adapt_loss_scale(state, {floats(norms), norms.count}, submission.sizes[0]);
}

// The gradients of an update, added up from left to right.
std::vector<float> gradient_sum(const convoy_submission& submission) {
  std::uint64_t reads = submission.read_count;
  for (const std::uint32_t flag : {CONVOY_OP_LOSS_SCALED, CONVOY_OP_NORMED})
    if ((submission.flags & flag) != 0) --reads;
  std::vector<float> total(submission.writes[0].count);
  for (std::uint64_t r = 0; r < reads; ++r) {
    const auto* gradient = static_cast<const float*>(submission.reads[r].data);
    for (std::size_t i = 0; i < total.size(); ++i)
      total[i] = r == 0 ? gradient[i] : total[i] + gradient[i];
  }
  return total;
}

void apply_to(float* parameters, const convoy_update& update, plan::UpdateConstants constants,
              const std::vector<float>& gradient, bool updates) {
  const float decay = constants.weight_decay;
  float unused[2] = {0, 0};
  double square_sum = 0;
  for (std::uint64_t i = 0; i < gradient.size(); ++i) {
    const bool decayed = is_decayed(update, i);
    if (decayed) square_sum += static_cast<double>(parameters[i]) * parameters[i];
    if (!updates) continue;
    constants.weight_decay = decayed ? decay : 0.0f;
    float* state[2];
    for (int slot = 0; slot < 2; ++slot)
      state[slot] = update.state[slot] == nullptr ? &unused[slot] : update.state[slot] + i;
    plan::update_element(constants, gradient[i], parameters[i], *state[0], *state[1]);
  }
  if (update.square_sum != nullptr) *update.square_sum = square_sum;
}

void apply(const convoy_submission& submission) {
  const convoy_update& update = *submission.updates[0];
  plan::UpdateConstants constants = plan::update_constants(
      *update.optimizer, update.contributions, submission.learning_rate, submission.step);
  const bool updates = guard(submission, constants);
  const std::vector<float> gradient = gradient_sum(submission);
  for (std::uint64_t w = 0; w < submission.write_count; ++w)
    apply_to(static_cast<float*>(submission.writes[w].data), *submission.updates[w], constants,
             gradient, updates);
}

}  // namespace

void run_fake_operation(const convoy_submission& submission) {
  if (submission.kind == CONVOY_OP_APPLY) return apply(submission);
  if (submission.kind == CONVOY_OP_NORM) return norm(submission);
  if (submission.kind == CONVOY_OP_ADAPT_LOSS_SCALE) return adapt(submission);
  if (submission.kind != CONVOY_OP_CALL) return run_elements(submission);
  const std::int32_t status = run_kernel(submission);
  if (status != 0) throw std::runtime_error(fmt::format("the kernel returned {}", status));
}

}  // namespace convoy::testing
