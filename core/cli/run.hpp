#pragma once

#include <iosfwd>
#include <span>
#include <string>

namespace convoy {

// convoy run: trains and measures. The well-known lines go to out, logs and progress to err.
// Returns the exit code of the process (130 or 143 after an interruption, with a partial summary);
// throws Error.
int run_training_verb(std::span<const std::string> arguments, std::ostream& out, std::ostream& err);

}  // namespace convoy
