#pragma once

#include <iosfwd>
#include <span>
#include <string>

namespace convoy {

// convoy calibrate: measures this machine for simulate and auto. The arguments are those after the
// verb. Returns the exit code; throws Error.
int run_calibrate_verb(std::span<const std::string> arguments, std::ostream& out,
                       std::ostream& err);

}  // namespace convoy
