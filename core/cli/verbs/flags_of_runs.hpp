#pragma once

#include <span>
#include <string>

namespace convoy::cli {

// Why a verb that runs nothing cannot do anything with flags of a run. Null where it can.
struct FlagsOfRuns {
  const char* profile;          // --profile
  const char* repeat;           // --repeat, but for 1
  const char* against;          // --against, --against_program
  const char* files = nullptr;  // --output_file, --report, --trace_file, --record_timeline
};

// Error(kUsage) where the command line has one of these flags. Variables of the environment may be
// meant for other commands.
void refuse_flags_of_runs(std::span<const std::string> arguments, const FlagsOfRuns& reasons);

// The same for all of them, for one reason.
void refuse_flags_of_runs(std::span<const std::string> arguments, const char* reason);

}  // namespace convoy::cli
