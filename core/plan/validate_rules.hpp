#pragma once

#include "core/plan/operation.hpp"

namespace convoy::plan {

// The rules that the spans of an operation must follow. All functions throw Error kFailed with the
// value found.

// The spans have the sizes that the operation's kind and `sizes` require: equal counts, matrices, a
// single number.
void require_operands(const Operation& operation);
// Requires that all spans of an operation have the same number of elements.
void require_equal_counts(const Operation& operation);

// Requires that spans and sizes of top_k, scatter, quantise and dequantise fit each other.
void require_messages(const Operation& operation);

// Refuses writes that overlap each other, because the result would depend on their order. An
// element-wise write may equal a read, but must not overlap it in part.
void require_no_straddling(const Operation& operation);
// Requires that elements which a collective both reads and writes are the same elements of the
// common index space. Otherwise the result would depend on the order in which slices are processed.
void require_aligned(const Operation& operation);

}  // namespace convoy::plan
