#pragma once

#include "core/plan/check/recurrence/field_matrix.hpp"
#include "core/plan/check/recurrence/system_proof.hpp"

namespace convoy::plan::check {

// Requires that all gradients of a period count equally often in everything that is read. If the
// gradients of different computes do not, looks for the reason, and accepts reasons that prove that
// the plan intends it. `weights` has the final weight of each gradient (column) in each value that
// is read (row), or one row for everything that is read.
void require_equal_weights(const SystemProof& proof, const FieldMatrix& weights);

}  // namespace convoy::plan::check
