#pragma once

#include <iosfwd>
#include <span>
#include <string>

namespace convoy {

// convoy plan: what a strategy writes for a model and a number of devices, as text or for Graphviz,
// as written or as it runs. The arguments are those after the verb. Returns the exit code; throws
// Error.
int run_plan_verb(std::span<const std::string> arguments, std::ostream& out, std::ostream& err);

}  // namespace convoy
