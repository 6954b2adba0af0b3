#include "core/plan/validate_rules.hpp"

#include <algorithm>

#include "core/base/error.hpp"

namespace convoy::plan {
namespace {

void require_f32(const Operation& operation) {
  for (const auto* spans : {&operation.reads, &operation.writes})
    for (const PlanSpan& span : *spans)
      if (span.dtype != CONVOY_F32)
        fail(ExitCode::kFailed, "it computes in f32; a span is {}", dtype_name(span.dtype));
}

// Returns a * b, or a number larger than any span if the product overflows.
std::uint64_t product(std::uint64_t a, std::uint64_t b) {
  std::uint64_t result = 0;
  return __builtin_mul_overflow(a, b, &result) ? UINT64_MAX : result;
}

void require_matrices(const Operation& operation) {
  const auto& [m, n, k, batches] = operation.details->sizes;
  const std::uint64_t batch = std::max<std::uint64_t>(batches, 1);
  const auto holds = [&](const PlanSpan& span, std::uint64_t rows, std::uint64_t columns) {
    return span.count == product(batch, product(rows, columns));
  };
  const PlanSpan& to = operation.writes[0];
  if (!holds(operation.reads[0], m, k) || !holds(operation.reads[1], k, n) || !holds(to, m, n))
    fail(ExitCode::kFailed, "spans do not hold {}x{} by {}x{} matrices", m, k, k, n);
  for (const PlanSpan& factor : operation.reads)
    if (overlap(factor, to))
      fail(ExitCode::kFailed, "a product of matrices cannot take the place of its factors");
}

void require_tall_matrix(const Operation& operation) {
  const auto& [rows, columns, unused, unused_too] = operation.details->sizes;
  require_equal_counts(operation);
  if (columns == 0 || operation.writes[0].count != product(rows, columns))
    fail(ExitCode::kFailed, "a span of {} elements does not hold a {}x{} matrix",
         operation.writes[0].count, rows, columns);
  if (columns > rows)
    fail(ExitCode::kFailed, "{} columns of {} elements each cannot all be orthogonal", columns,
         rows);
}

void require_number(const Operation& operation) {
  if (operation.writes[0].count != 1)
    fail(ExitCode::kFailed, "it writes one number, not {}", operation.writes[0].count);
  if (operation.reads[0].count != operation.reads[1].count)
    fail(ExitCode::kFailed, "spans of {} and {} elements; both must be equal",
         operation.reads[0].count, operation.reads[1].count);
}

void require_factor(const Operation& operation) {
  const std::uint64_t count = operation.writes[0].count;
  const std::uint64_t factors = operation.reads[1].count;
  if (operation.reads[0].count != count || (factors != count && factors != 1))
    fail(ExitCode::kFailed,
         "spans of {}, {} and {} elements; all must be equal, or the second read is one number",
         count, operation.reads[0].count, factors);
}

}  // namespace

void require_equal_counts(const Operation& operation) {
  const std::uint64_t count = operation.writes.front().count;
  for (const auto* spans : {&operation.reads, &operation.writes})
    for (const PlanSpan& span : *spans)
      if (span.count != count)
        fail(ExitCode::kFailed, "spans of {} and {} elements; all must be equal", count,
             span.count);
}

void require_operands(const Operation& operation) {
  const OperationTraits& traits = traits_of(operation.kind);
  switch (traits.sizes) {
    case OperationSizes::kMatrices:
      require_matrices(operation);
      break;
    case OperationSizes::kTallMatrix:
      require_tall_matrix(operation);
      break;
    case OperationSizes::kSums:
      require_number(operation);
      break;
    case OperationSizes::kFactor:
      require_factor(operation);
      break;
    default:
      require_equal_counts(operation);
  }
  if (traits.types == OperationTypes::kF32) require_f32(operation);
}

}  // namespace convoy::plan
