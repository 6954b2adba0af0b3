#pragma once

#include "core/plan/operation.hpp"

namespace convoy::plan {

// Rules that the spans of an operation keep, by what they are about. All throw Error kFailed with
// the value found.

// The spans have the sizes that the operation's kind and `sizes` require: equal counts, matrices, a
// single number.
void require_operands(const Operation& operation);
// All spans of an operation have as many elements.
void require_equal_counts(const Operation& operation);

// Spans and sizes of top_k, scatter, quantise and dequantise fit each other.
void require_messages(const Operation& operation);

// Writes that overlap each other would make the result depend on their order; an element-wise write
// may equal a read but not straddle it.
void require_no_straddling(const Operation& operation);
// Elements that a collective reads and writes must be the same ones of the common index space, else
// the result would depend on the order in which slices are worked on.
void require_aligned(const Operation& operation);

}  // namespace convoy::plan
