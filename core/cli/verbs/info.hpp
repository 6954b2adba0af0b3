#pragma once

#include <iosfwd>
#include <span>
#include <string>

namespace convoy {

// convoy info NAME: what one plug-in says about itself and which options it takes.
// Reads manifests only: no code of a plug-in runs. The arguments are those after the verb. Returns
// the exit code; throws Error.
int run_info(std::span<const std::string> arguments, std::ostream& out, std::ostream& err);

}  // namespace convoy
