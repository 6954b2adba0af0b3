#pragma once

#include <optional>

#include "core/plan/check/recurrence/period_map.hpp"

namespace convoy::check {

// How much a state gains when the result of a cast or compressor gains one and what it left out
// stays the same: as much as the error's weight where the state is made of the result, and nothing
// where it is only the rest of it. None where this is not known.
//
// It differs from the weight of the gradients that were read, which may also go on beside the
// result, as in the momentum that was compressed.
std::optional<Weight> let_through(AtomId error, const PeriodState& state, const ValueTable& values);

}  // namespace convoy::check
