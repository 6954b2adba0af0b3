#pragma once

#include "core/plan/check/recurrence/system_proof.hpp"

namespace convoy::plan::check {

// Requires that without gradients the parameters do not change, from the first step on. Values that
// only the run knows may be a part of the parameters: the judgement is left open for what they
// reach.
void require_constant_zero_input_response(const SystemProof& proof);

}  // namespace convoy::plan::check
