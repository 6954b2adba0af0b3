#pragma once

#include <iosfwd>
#include <span>
#include <string>

namespace convoy {

// convoy list: every plug-in that the search path offers, and what it does not use and why.
// Reads manifests only: no code of a plug-in runs. The arguments are those after the verb. Returns
// the exit code; throws Error.
int run_list(std::span<const std::string> arguments, std::ostream& out, std::ostream& err);

}  // namespace convoy
