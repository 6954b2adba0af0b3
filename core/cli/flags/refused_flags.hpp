#pragma once

#include <span>
#include <string>
#include <vector>

namespace convoy::cli {

// A flag of `convoy run` that means nothing to another verb.
struct RefusedFlag {
  std::string name;
  std::string reason;      // why, as in "qualify makes measurements of its own"
  std::string unset = {};  // the value of a flag that is not given
  bool is_switch = false;  // unset is "false"
};

// Error(kUsage) if the command line gives one of the flags another value than the unset one.
// Variables of the environment do not count, because they may be meant for other commands.
void refuse_flags(std::span<const std::string> arguments, std::span<const RefusedFlag> refused);

// The reasons why a verb that does not run anything cannot use the flags of a run. Null: the verb
// can use these flags.
struct FlagsOfRuns {
  const char* profile;          // --profile
  const char* repeat;           // --repeat with another value than 1
  const char* against;          // --against, --against_program
  const char* modes;            // --eval, --forward_only, --input_only
  const char* files = nullptr;  // --output_file, --report, --trace_file, --record_timeline
};

// Returns these flags for refuse_flags() and for the help.
std::vector<RefusedFlag> flags_of_runs(const FlagsOfRuns& reasons);

// The same for all of them, with one reason.
std::vector<RefusedFlag> flags_of_runs(const char* reason);

}  // namespace convoy::cli
