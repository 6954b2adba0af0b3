#pragma once

#include <string>

#include "core/plan/plan.hpp"

namespace convoy::testing {

// Runs the updates of a lowered plan, some periods of its last stage and all of the others. The
// first one whose elements have had different numbers of updates, or "none".
std::string first_mixed_update(const plan::Plan& lowered);

}  // namespace convoy::testing
