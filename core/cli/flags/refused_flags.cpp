#include "core/cli/flags/refused_flags.hpp"

#include "core/base/error.hpp"
#include "core/cli/flags/flag_parser.hpp"

namespace convoy::cli {

void refuse_flags(std::span<const std::string> arguments, std::span<const RefusedFlag> refused) {
  for (const RefusedFlag& flag : refused) {
    const bool given =
        flag.is_switch
            ? find_switch(arguments, flag.name, no_environment)
            : find_flag(arguments, flag.name, no_environment).value_or(flag.unset) != flag.unset;
    if (given) fail(ExitCode::kUsage, "--{} is for runs: {}; leave it out", flag.name, flag.reason);
  }
}

std::vector<RefusedFlag> flags_of_runs(const FlagsOfRuns& reasons) {
  std::vector<RefusedFlag> flags;
  if (reasons.profile != nullptr)
    flags.push_back({.name = "profile", .reason = reasons.profile, .is_switch = true});
  if (reasons.repeat != nullptr)
    flags.push_back({.name = "repeat", .reason = reasons.repeat, .unset = "1"});
  if (reasons.against != nullptr)
    for (const char* name : {"against", "against_program"})
      flags.push_back({.name = name, .reason = reasons.against});
  if (reasons.modes != nullptr)
    for (const char* name : {"eval", "forward_only", "input_only"})
      flags.push_back({.name = name, .reason = reasons.modes, .is_switch = true});
  if (reasons.files == nullptr) return flags;
  for (const char* name : {"output_file", "report", "trace_file"})
    flags.push_back({.name = name, .reason = reasons.files});
  flags.push_back({.name = "record_timeline", .reason = reasons.files, .is_switch = true});
  return flags;
}

std::vector<RefusedFlag> flags_of_runs(const char* reason) {
  return flags_of_runs(FlagsOfRuns{
      .profile = reason, .repeat = reason, .against = reason, .modes = reason, .files = reason});
}

}  // namespace convoy::cli
