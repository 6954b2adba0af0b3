#pragma once

#include <iosfwd>
#include <span>
#include <string>

namespace convoy {

// convoy new strategy|model|device|transport NAME: writes a plug-in project to start from.
// The arguments are those after the verb. Returns the exit code; throws Error.
int run_new(std::span<const std::string> arguments, std::ostream& out, std::ostream& err);

}  // namespace convoy
