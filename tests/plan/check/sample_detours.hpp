#pragma once

#include <vector>

#include "tests/plan/check/sample_recurrences.hpp"

namespace convoy::testing {

// Strategies whose gradients count less than once, or not at all, and those that only seem to mean
// it: parameters are mixed with earlier ones, or gradients are taken beside the parameters.
std::vector<SampleRecurrence> detours();

}  // namespace convoy::testing
