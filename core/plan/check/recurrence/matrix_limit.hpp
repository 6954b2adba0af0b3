#pragma once

#include <vector>

#include "core/plan/check/recurrence/field_matrix.hpp"

namespace convoy::plan::check {

// The behaviour of x' = A x after many periods.
enum class Stability {
  kConverges,   // A^t converges: everything that is not conserved decays
  kDiverges,    // something grows without bound
  kOscillates,  // it neither settles nor grows, or too slowly to tell
};

struct Limit {
  Stability kind = Stability::kOscillates;
  FieldMatrix conserved{0, 0};  // rows w with w A = w, scaled so that limit = kept * conserved
  FieldMatrix kept{0, 0};       // columns
};

// Exact, except for the judgement that everything else decays. That is tested with a power of A
// that equals the limit up to double precision.
Limit limit_of(const std::vector<LinearRow>& step);

}  // namespace convoy::plan::check
