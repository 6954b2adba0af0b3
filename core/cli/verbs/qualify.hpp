#pragma once

#include <iosfwd>
#include <span>
#include <string>

namespace convoy {

// convoy qualify: is this machine, or this cluster, as fast as it should be. The arguments are
// those after the verb. Returns kThreshold when something is slow; throws Error.
int run_qualify_verb(std::span<const std::string> arguments, std::ostream& out, std::ostream& err);

}  // namespace convoy
