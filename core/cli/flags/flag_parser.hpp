#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/cli/flags/flag_table.hpp"

namespace convoy::cli {

// Which flags were given, and the value of every flag in canonical form, defaults included.
class ParsedFlags {
 public:
  // Returns whether the command line or the environment gives the flag. The flag must exist.
  bool is_given(std::string_view name) const;
  // Returns the flag's value; empty if it has none. The flag must exist.
  const std::string& value(std::string_view name) const;

  // Returns every honoured flag that has a value.
  std::map<std::string, std::string> effective() const;
  // Returns sentences about flags that were given but have no effect, for standard error.
  const std::vector<std::string>& notices() const { return notices_; }
  // Returns the arguments that are not flags, where they are allowed.
  const std::vector<std::string>& positional() const { return positional_; }

 private:
  friend class FlagParser;
  struct Entry {
    FlagDefinition flag;
    std::optional<std::string> value;
    std::string source;  // where the value was given; empty: it is the default
  };

  const Entry& entry(std::string_view name) const;

  std::map<std::string, Entry, std::less<>> entries_;
  std::vector<std::string> notices_;
  std::vector<std::string> positional_;
};

// Returns the value of an environment variable, or null.
using EnvironmentLookup = std::function<const char*(const std::string&)>;
const char* system_environment(const std::string& name);
// An environment without variables, for values that only the command line may give, because
// variables may be meant for other commands.
const char* no_environment(const std::string& name);
// Returns the environment variable of a flag: "repeat" gives "CONVOY_REPEAT".
std::string environment_name(std::string_view flag);

enum class Positional { kRefused, kAllowed };

// Parses --x, --nox, --x=value and --x value (not for booleans); a single dash works too. The last
// occurrence wins. A flag that is not given is taken from CONVOY_<NAME> if that is set and not
// empty. Then every given value goes to its field. Error(kUsage) for unknown flags, bad values, and
// for anything that is not a flag unless that is allowed.
ParsedFlags parse_flags(const FlagTable& table, std::span<const std::string> arguments,
                        Positional positional = Positional::kRefused,
                        const EnvironmentLookup& environment = system_environment);

// First pass, before plug-ins have added their flags: returns the value that the command line, or
// else the environment, gives to one flag that is not boolean. Ignores everything else.
std::optional<std::string> find_flag(std::span<const std::string> arguments, std::string_view name,
                                     const EnvironmentLookup& environment = system_environment);
// The same for a flag with its definition. If the command line gives the flag in
// `wanted.instead_of`, the environment does not count.
std::optional<std::string> find_flag(std::span<const std::string> arguments, FlagDefinition wanted,
                                     const EnvironmentLookup& environment = system_environment);

// The same for a boolean flag: returns whether it is on. Error(kUsage) for a value that is not
// boolean.
bool find_switch(std::span<const std::string> arguments, std::string_view name,
                 const EnvironmentLookup& environment = system_environment);

// The flags have no effect, for the given reason. Returns a sentence for each of them that an
// environment variable sets nevertheless.
std::vector<std::string> notices_on_variables(
    std::span<const std::string_view> flags, std::string_view reason,
    const EnvironmentLookup& environment = system_environment);

// Returns whether the command line asks for help (--help or -h), whatever else it holds.
bool wants_help(std::span<const std::string> arguments);
// Returns the text after --help=; empty if there is none.
std::string help_topic(std::span<const std::string> arguments);

}  // namespace convoy::cli
