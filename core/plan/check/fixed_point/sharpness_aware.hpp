#pragma once

#include "core/plan/check/symbolic/symbolic_run.hpp"

namespace convoy::plan::check {

// Whether the run is sharpness-aware minimisation (Foret et al., 2021), and nothing else. Of every
// two computes, the first one's gradients only move the parameters uphill, by a positive multiple
// of the replica's own gradient or of the sum of all gradients. The mean of the second one's
// gradients is applied to the parameters before that move. The run is compared with a reference,
// for all elements and replicas.
bool is_sharpness_aware(const Plan& plan, SymbolicRun& run);

}  // namespace convoy::plan::check
