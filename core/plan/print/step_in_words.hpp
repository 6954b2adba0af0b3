#pragma once

#include <string>
#include <vector>

#include "core/plan/plan.hpp"

namespace convoy::plan {

// Describes what a logical plan does in a step. One sentence covers all operations of a kind that
// do the same to the same kind of memory, in the order of their first operation: "all_reduce of
// gradients of 4 devices: 7 times, 102.2 MB in all". A plan of several steps says which step it is.
std::vector<std::string> step_in_words(const Plan& plan);

}  // namespace convoy::plan
