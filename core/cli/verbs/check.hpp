#pragma once

#include <iosfwd>
#include <span>
#include <string>

namespace convoy {

// convoy check: proves what a strategy's plans compute and compares it with the manifest's claim.
// It checks the plan that a run with these flags executes, and plans for other numbers of devices,
// bucket sizes and topologies. The arguments are those after the verb. Returns 0 when the claim is
// kept, else 1; throws Error.
int run_check_verb(std::span<const std::string> arguments, std::ostream& out, std::ostream& err);

}  // namespace convoy
