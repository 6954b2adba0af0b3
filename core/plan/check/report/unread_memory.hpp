#pragma once

#include <string>
#include <vector>

#include "core/plan/plan.hpp"

namespace convoy::plan::check {

// Dead memory: persistent buffers that the plan writes for nothing. No later period reads what they
// hold at the end of one, because it is overwritten first or has no reader. Each by its name;
// without a name, by the operation that writes it. Such memory keeps nothing from step to step, as
// a residual or a momentum should.
std::vector<std::string> unread_memory(const Plan& plan);

}  // namespace convoy::plan::check
