#pragma once

#include <iosfwd>

#include "core/qualify/qualification_json.hpp"

namespace convoy::cli {

// Prints the measured and expected rates of every host, the slowest host first, then what is slow
// and why, and the verdict.
void print_qualification(std::ostream& out, const qualify::Qualification& qualification);

}  // namespace convoy::cli
