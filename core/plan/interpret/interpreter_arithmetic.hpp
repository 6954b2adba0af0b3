#pragma once

#include <cstddef>
#include <functional>

#include "core/plan/operation.hpp"

namespace convoy {

using SpanMemory = std::function<std::byte*(const PlanSpan& span)>;

// Runs any operation but forward, backward, apply and call on the memory of its spans. All reads
// happen before the first write, so spans may coincide. Arithmetic is f32, each result rounded by
// itself; a reduction goes over the reads from left to right. Error kFailed for other dtypes.
void run_arithmetic(const Operation& operation, const SpanMemory& memory);

}  // namespace convoy
