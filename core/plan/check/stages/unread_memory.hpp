#pragma once

#include <string>
#include <vector>

#include "core/plan/plan.hpp"

namespace convoy {

// The names of persistent buffers, or what writes those without a name, that the plan writes
// although what they hold at the end of a period is never read: it is overwritten first, or nothing
// reads it at all. Such memory keeps nothing from step to step, as a residual or a momentum should.
std::vector<std::string> unread_memory(const Plan& plan);

}  // namespace convoy
