#pragma once

#include "core/plan/check/recurrence/field_matrix.hpp"
#include "core/plan/check/recurrence/system_proof.hpp"

namespace convoy::plan::check {

// Judges how often every gradient counts in the end, where all count equally often or each reaches
// its own replica only: once, as in a mean, unless momentum or averaged parameters explain more or
// less. `weights` are the final weights, as of require_equal_weights(). The counts go to the
// report.
void judge_total_weight(const SystemProof& proof, const FieldMatrix& weights);

}  // namespace convoy::plan::check
