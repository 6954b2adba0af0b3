#pragma once

#include <vector>

#include "tests/plan/check/sample_recurrences.hpp"

namespace convoy::testing {

// Strategies that an outside judge wrote against the checker: right ones that it called wrong
// once, and wrong ones that it called right.
std::vector<SampleRecurrence> right_held_out();
std::vector<SampleRecurrence> wrong_held_out();

}  // namespace convoy::testing
