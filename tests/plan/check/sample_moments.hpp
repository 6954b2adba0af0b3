#pragma once

#include <vector>

#include "tests/plan/check/sample_recurrences.hpp"

namespace convoy::testing {

// Strategies with moments of their own, such as LAMB and Adam: a momentum is divided by the root of
// a second moment, or multiplied by a number that the run finds.
std::vector<SampleRecurrence> right_moments();
std::vector<SampleRecurrence> wrong_moments();

}  // namespace convoy::testing
