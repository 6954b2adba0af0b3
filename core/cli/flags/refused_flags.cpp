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

}  // namespace convoy::cli
