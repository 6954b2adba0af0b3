#pragma once

#include "core/plan/interpret/interpreter_arithmetic.hpp"
#include "core/plan/operation.hpp"

namespace convoy {

// Runs top_k, scatter, quantise or dequantise by definition, see convoy_operation_kind and
// convoy_code, on the memory of its spans.
void run_compression(const Operation& operation, const SpanMemory& memory);

}  // namespace convoy
