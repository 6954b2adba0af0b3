#pragma once

#include "core/plan/operation.hpp"

namespace convoy {

// All spans of an operation have as many elements. Error kFailed.
void require_equal_counts(const Operation& operation);

// The spans have the sizes that the operation's kind and `sizes` require: equal counts, matrices, a
// single number. Error kFailed.
void require_operands(const Operation& operation);

}  // namespace convoy
