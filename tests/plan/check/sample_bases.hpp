#pragma once

#include <vector>

#include "tests/plan/check/sample_recurrences.hpp"

namespace convoy::testing {

// Projections on bases that turn from step to step in other ways than by a power iteration: each
// basis makes the next one, or a kernel makes new columns.
std::vector<SampleRecurrence> right_bases();
// Those whose rests may never get out, or that lose or double something.
std::vector<SampleRecurrence> wrong_bases();

}  // namespace convoy::testing
