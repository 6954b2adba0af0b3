#include "tests/devices/fake/fake_operations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "core/plan/interpreter_arithmetic.hpp"
#include "core/plan/interpreter_update.hpp"

namespace convoy::testing {
namespace {

// Spans of the operation name its regions: buffer i is read i, then come the writes.
PlanSpan name_region(const convoy_region& region, std::uint64_t index) {
  return {static_cast<std::uint32_t>(index), region.dtype, 0, region.count};
}

void run_elements(const convoy_submission& submission) {
  Operation operation;
  operation.kind = static_cast<OperationKind>(submission.kind);
  operation.reduction = submission.reduction;
  operation.scalar = submission.scalar;
  std::copy_n(submission.sizes, 4, operation.sizes);
  for (std::uint64_t i = 0; i < submission.read_count; ++i)
    operation.reads.push_back(name_region(submission.reads[i], i));
  for (std::uint64_t i = 0; i < submission.write_count; ++i)
    operation.writes.push_back(name_region(submission.writes[i], submission.read_count + i));
  run_arithmetic(operation, [&](const PlanSpan& span) {
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

void apply(const convoy_submission& submission) {
  const convoy_update& update = *submission.update;
  UpdateConstants constants = update_constants(*update.optimizer, update.contributions,
                                               submission.learning_rate, submission.step);
  const float decay = constants.weight_decay;
  auto* parameters = static_cast<float*>(submission.writes[0].data);
  const auto* gradient = static_cast<const float*>(submission.reads[0].data);
  float unused[2] = {0, 0};
  double square_sum = 0;
  for (std::uint64_t i = 0; i < submission.writes[0].count; ++i) {
    const bool decayed = is_decayed(update, i);
    if (decayed) square_sum += static_cast<double>(parameters[i]) * parameters[i];
    constants.weight_decay = decayed ? decay : 0.0f;
    float* state[2];
    for (int slot = 0; slot < 2; ++slot)
      state[slot] = update.state[slot] == nullptr ? &unused[slot] : update.state[slot] + i;
    update_element(constants, gradient[i], parameters[i], *state[0], *state[1]);
  }
  if (update.square_sum != nullptr) *update.square_sum = square_sum;
}

}  // namespace

void run_fake_operation(const convoy_submission& submission) {
  if (submission.kind == CONVOY_OP_APPLY) return apply(submission);
  if (submission.kind != CONVOY_OP_CALL) return run_elements(submission);
  const std::int32_t status = submission.host_kernel(submission.reads, submission.read_count,
                                                     submission.writes, submission.write_count);
  if (status != 0) throw std::runtime_error(fmt::format("the kernel returned {}", status));
}

}  // namespace convoy::testing
