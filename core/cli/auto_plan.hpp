#pragma once

#include <iosfwd>
#include <span>
#include <string>

namespace convoy {

// convoy plan --variable_update=auto: what auto takes on a described machine, with --explain the
// whole ranking, and else the plan of the strategy that it takes. The flags are those of a
// simulation. Returns the exit code; throws Error.
int run_auto_plan(std::span<const std::string> arguments, std::ostream& out, std::ostream& err);

}  // namespace convoy
