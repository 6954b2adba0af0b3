#pragma once

#include <iosfwd>
#include <span>
#include <string>

namespace convoy {

// convoy plan: what a run with these flags executes, as text or for Graphviz, as written or as it
// runs, on this machine's devices, a described machine or imagined hosts; under auto, the ranking.
// The arguments are those after the verb. Returns the exit code; throws Error.
int run_plan_verb(std::span<const std::string> arguments, std::ostream& out, std::ostream& err);

}  // namespace convoy
