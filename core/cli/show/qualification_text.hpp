#pragma once

#include <iosfwd>

#include "core/qualify/qualification_json.hpp"

namespace convoy {

// What was measured beside what it should be, host by host, the slowest first; what is slow and
// why; and the verdict.
void print_qualification(std::ostream& out, const qualify::Qualification& qualification);

}  // namespace convoy
