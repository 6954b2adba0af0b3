#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>

#include "core/cli/flag_table.hpp"
#include "core/cli/flag_values.hpp"

namespace convoy {

// Looks up an environment variable.
using EnvironmentLookup = std::function<std::optional<std::string>(const std::string&)>;
EnvironmentLookup process_environment();

struct FlagParserOptions {
  EnvironmentLookup environment = process_environment();
  std::size_t positional_limit = 0;  // arguments without a dash that the verb takes
  // Skips what the table does not know: for a first pass over the command line that picks out the
  // few flags which decide what the whole table is.
  bool tolerant = false;
};

// Reads a verb's arguments in the forms of absl: --name=value, --name value, --name and --noname
// for booleans (whose value never is an argument of its own); one dash does for two. A later flag
// wins over an earlier one, the command line over CONVOY_<NAME> in the environment, that over the
// default. Fails with kUsage for what it cannot read, naming the nearest known flag, and for flags
// that have no meaning here; with kUnavailable for flags that do not work yet.
FlagValues parse_flags(const FlagTable& table, std::span<const std::string> arguments,
                       const FlagParserOptions& options = {});

}  // namespace convoy
