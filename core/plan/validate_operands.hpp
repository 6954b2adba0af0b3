#pragma once

#include "core/plan/operation.hpp"

namespace convoy {

// All spans of an operation have as many elements. Error kFailed.
void require_equal_counts(const Operation& operation);

// The spans of an operation at a place hold what its kind and sizes say: equal counts, matrices, a
// number. Error kFailed.
void require_operands(const Operation& operation);

}  // namespace convoy
