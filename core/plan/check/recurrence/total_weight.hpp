#pragma once

#include "core/plan/check/recurrence/field_matrix.hpp"
#include "core/plan/check/recurrence/system_proof.hpp"

namespace convoy::plan::check {

// Judges how often every gradient counts in the end, if all count equally often or each reaches
// only its own replica. The result must be once, as in a mean, unless momentum or averaged
// parameters explain more or less. `weights` are the final weights, as in require_equal_weights().
// Stores the counts in the report.
void judge_total_weight(const SystemProof& proof, const FieldMatrix& weights);

}  // namespace convoy::plan::check
