#pragma once

#include <iosfwd>
#include <span>
#include <string>

namespace convoy {

// Runs `convoy <verb> ...`: the first argument chooses the verb, the rest is the verb's. Results go
// to out, everything else to err. Returns the exit code of the process; throws Error.
int run_command(std::span<const std::string> arguments, std::ostream& out, std::ostream& err);

}  // namespace convoy
