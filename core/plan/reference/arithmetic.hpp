#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "core/plan/operation.hpp"

namespace convoy::plan {

using SpanMemory = std::function<std::byte*(const PlanSpan& span)>;

// Runs an operation on the memory of its spans: any but forward, backward, apply, call, norm and
// adapt_loss_scale. All reads happen before the first write, so spans may coincide. Arithmetic is
// f32, each result rounded by itself; a reduction goes over the reads from left to right. Error
// kFailed for other dtypes.
void run_arithmetic(const Operation& operation, const SpanMemory& memory);

// Its parts. Top_k, scatter, quantise and dequantise by definition, see convoy_operation_kind and
// convoy_code, on the memory of their spans:
void run_compression(const Operation& operation, const SpanMemory& memory);
// Whether algebra_result() is for this kind: products, quotients, roots, matrices.
bool is_algebra(OperationKind kind);
// The result of such an operation for its reads: f32, each result rounded by itself; sums of dot
// and orthogonalise are in double, in the order of the CPU device.
std::vector<float> algebra_result(const Operation& operation,
                                  const std::vector<std::vector<float>>& reads);

}  // namespace convoy::plan
