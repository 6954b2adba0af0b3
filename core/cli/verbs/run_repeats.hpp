#pragma once

#include <iosfwd>
#include <span>
#include <string>

#include "core/cli/flags/command.hpp"

namespace convoy::cli {

// `convoy run --repeat=N`: runs the same command N times, each in its own process. The record is
// that of the run with the median speed (of an even number, the slower of two), with this command
// line and the steps of all runs under "repeats". With --against, each run takes turns with a run
// of another command, and the difference is printed. A signal ends the runs under way; the finished
// ones are written, and the code is that of the signal. Error with the code and the reason of the
// first run that fails.
int run_repeats(const JobCommand& command, std::span<const std::string> arguments,
                std::ostream& out, std::ostream& err);

}  // namespace convoy::cli
