#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "core/plan/operation.hpp"

namespace convoy::plan {

using SpanMemory = std::function<std::byte*(const PlanSpan& span)>;

// Runs an operation on the memory of its spans. All kinds are possible except forward, backward,
// apply, call, norm and adapt_loss_scale. All reads happen before the first write, so spans may
// coincide. Arithmetic is f32, each result rounded by itself; a reduction goes over the reads from
// left to right. Error kFailed for other dtypes.
void run_arithmetic(const Operation& operation, const SpanMemory& memory);

// Runs top_k, scatter, quantise and dequantise by their definitions, see convoy_operation_kind and
// convoy_code, on the memory of their spans.
void run_compression(const Operation& operation, const SpanMemory& memory);
// Whether algebra_result() supports this kind: products, quotients, roots, matrices.
bool is_algebra(OperationKind kind);
// Returns the result of such an operation for its reads. Results are f32, each rounded by itself.
// Sums of dot and orthogonalise are in double, in the order of the CPU device.
std::vector<float> algebra_result(const Operation& operation,
                                  const std::vector<std::vector<float>>& reads);

}  // namespace convoy::plan
