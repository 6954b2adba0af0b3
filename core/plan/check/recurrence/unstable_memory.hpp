#pragma once

#include <string>

#include "core/plan/check/recurrence/period_map.hpp"

namespace convoy::check {

// For a class of elements that grows without bound: the end of a sentence, "; NAME ...", that names
// the author's memory which keeps all that it holds, or else the one that has the largest part in
// what grows most. Empty if there is none.
std::string growing_memory(const Plan& plan, const LinearSystem& system);

}  // namespace convoy::check
