#pragma once

#include <iosfwd>
#include <span>
#include <string>

namespace convoy {

// convoy simulate: how fast `convoy run` with the same flags would be on a described machine. The
// arguments are those after the verb. Returns the exit code; throws Error.
int run_simulate_verb(std::span<const std::string> arguments, std::ostream& out, std::ostream& err);

}  // namespace convoy
