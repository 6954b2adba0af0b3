#pragma once

#include <iosfwd>
#include <span>
#include <string>

namespace convoy {

// `convoy launch`: the tasks of a run on several hosts, all on this machine. Returns the exit code
// of the first task that fails.
int run_launch_verb(std::span<const std::string> arguments, std::ostream& out, std::ostream& err);

}  // namespace convoy
