#include "core/cli/verbs/flags_of_runs.hpp"

#include "core/base/error.hpp"
#include "core/cli/flags/flag_parser.hpp"

namespace convoy::cli {
namespace {

class Refuser {
 public:
  explicit Refuser(std::span<const std::string> arguments) : arguments_(arguments) {}

  void switched(const char* flag, const char* reason) const {
    if (reason != nullptr && find_switch(arguments_, flag, no_environment)) refuse(flag, reason);
  }

  // Unless it has the value that it has without being given.
  void given(const char* flag, const char* unset, const char* reason) const {
    if (reason != nullptr && find_flag(arguments_, flag, no_environment).value_or(unset) != unset)
      refuse(flag, reason);
  }

 private:
  [[noreturn]] static void refuse(const char* flag, const char* reason) {
    fail(ExitCode::kUsage, "--{} is for runs: {}; leave it out", flag, reason);
  }

  std::span<const std::string> arguments_;
};

}  // namespace

void refuse_flags_of_runs(std::span<const std::string> arguments, const FlagsOfRuns& reasons) {
  const Refuser refuser(arguments);
  refuser.switched("profile", reasons.profile);
  refuser.given("repeat", "1", reasons.repeat);
  for (const char* flag : {"against", "against_program"}) refuser.given(flag, "", reasons.against);
  for (const char* flag : {"output_file", "report", "trace_file"})
    refuser.given(flag, "", reasons.files);
  refuser.switched("record_timeline", reasons.files);
}

void refuse_flags_of_runs(std::span<const std::string> arguments, const char* reason) {
  refuse_flags_of_runs(
      arguments,
      FlagsOfRuns{.profile = reason, .repeat = reason, .against = reason, .files = reason});
}

}  // namespace convoy::cli
