#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace convoy::cli {

// A flag of a verb with few flags, in the forms of parse_flags.
struct VerbFlag {
  std::string name;
  bool takes_value = false;
  std::string help;
};

// The command line of a verb with few flags, after the verb.
struct VerbArguments {
  std::vector<std::string> positional;
  std::map<std::string, std::string> flags;  // "true" for flags without a value

  bool has(const std::string& flag) const { return flags.contains(flag); }
  std::string value(const std::string& flag) const;  // empty when not given
};

// Throws Error with exit code kUsage for an unknown flag, a missing value or a value too many.
VerbArguments parse_verb_arguments(std::span<const std::string> arguments,
                                   std::span<const VerbFlag> flags);

// Usage text: the form of the command, what it does, its flags.
std::string verb_help(std::string_view form, std::string_view summary,
                      std::span<const VerbFlag> flags);

}  // namespace convoy::cli
