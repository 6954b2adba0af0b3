#pragma once

#include <vector>

#include "tests/plan/check/sample_recurrences.hpp"

namespace convoy::testing {

// Gradients that are exchanged as messages of top_k and quantise: right strategies, and those whose
// author took a wrong part, a wrong message, or forgot the rest.
std::vector<SampleRecurrence> right_compressions();
std::vector<SampleRecurrence> wrong_compressions();

}  // namespace convoy::testing
