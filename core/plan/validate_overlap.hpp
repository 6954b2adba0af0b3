#pragma once

#include "core/plan/operation.hpp"

namespace convoy {

// Writes that overlap each other would make the result depend on their order; an element-wise write
// may equal a read but not straddle it. Error kFailed.
void require_no_straddling(const Operation& operation);

// Elements that a collective reads and writes must be the same ones of the common index space, else
// the result would depend on the order in which slices are worked on. Error kFailed.
void require_aligned(const Operation& operation);

}  // namespace convoy
