#pragma once

#include <iosfwd>
#include <span>
#include <string>

namespace convoy {

// convoy check: proves what a strategy's plans compute, those that runs with these flags execute
// and others, for several numbers of devices, ways to cut buckets and topologies, and compares with
// what its manifest claims. The arguments are those after
// the verb. Returns 0 when the claim is kept, else 1; throws Error.
int run_check_verb(std::span<const std::string> arguments, std::ostream& out, std::ostream& err);

}  // namespace convoy
