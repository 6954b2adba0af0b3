#pragma once

#include <iosfwd>
#include <span>
#include <string>

namespace convoy {

// `convoy explain [flags]`: in words, what the plan of a run with these flags does in a step, what
// was proved of it, and where a step waits on the machine. Returns the exit code; throws Error for
// what a user can fix.
int run_explain_verb(std::span<const std::string> arguments, std::ostream& out, std::ostream& err);

}  // namespace convoy
