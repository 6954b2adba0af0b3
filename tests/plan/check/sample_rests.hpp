#pragma once

#include <vector>

#include "tests/plan/check/sample_recurrences.hpp"

namespace convoy::testing {

// Strategies that round what an earlier rounding left out, or what waited in memory for a step.
std::vector<SampleRecurrence> right_rests();
std::vector<SampleRecurrence> wrong_rests();

}  // namespace convoy::testing
