#pragma once

#include <span>
#include <string>
#include <vector>

namespace convoy::cli {

// A flag of `convoy run` that means nothing to another verb.
struct RefusedFlag {
  std::string name;
  std::string reason;      // why, as in "qualify makes measurements of its own"
  std::string unset = {};  // the value that it has without being given
  bool is_switch = false;  // unset is "false"
};

// Error(kUsage) where the command line gives one of them a value other than the unset one.
// Variables of the environment may be meant for other commands.
void refuse_flags(std::span<const std::string> arguments, std::span<const RefusedFlag> refused);

// Why a verb that runs nothing cannot do anything with flags of a run. Null where it can.
struct FlagsOfRuns {
  const char* profile;          // --profile
  const char* repeat;           // --repeat, but for 1
  const char* against;          // --against, --against_program
  const char* modes;            // --eval, --forward_only, --input_only
  const char* files = nullptr;  // --output_file, --report, --trace_file, --record_timeline
};

// These flags, for refuse_flags and for help.
std::vector<RefusedFlag> flags_of_runs(const FlagsOfRuns& reasons);

// The same, all of them, for one reason.
std::vector<RefusedFlag> flags_of_runs(const char* reason);

}  // namespace convoy::cli
