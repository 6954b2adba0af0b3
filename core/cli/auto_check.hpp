#pragma once

#include <iosfwd>
#include <span>
#include <string>

namespace convoy {

// convoy check auto: what --variable_update=auto takes on a described machine, then what `convoy
// check` proves of that strategy with those options. The arguments are those after "auto": flags of
// a simulation, and check's list of numbers of devices, of which auto chooses for the largest.
// Returns the exit code; throws Error.
int run_auto_check(std::span<const std::string> arguments, std::ostream& out, std::ostream& err);

}  // namespace convoy
