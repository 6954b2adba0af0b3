#pragma once

#include <string>
#include <vector>

#include "core/plan/plan.hpp"

namespace convoy::plan::check {

// Finds dead memory: persistent buffers that the plan writes for nothing. No later period reads
// their contents at the end of a period, because they are overwritten first or have no reader.
// Returns the name of each; without a name, it names the operation that writes it. Such memory
// keeps nothing from step to step, as a residual or a momentum should.
std::vector<std::string> unread_memory(const Plan& plan);

}  // namespace convoy::plan::check
