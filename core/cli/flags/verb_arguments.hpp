#pragma once

#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/cli/flags/flag.hpp"

namespace convoy::cli {

// The usage of a verb, for its help.
struct VerbUsage {
  std::string_view form;     // "diff FIRST.json SECOND.json [flags]"
  std::string_view summary;  // sentences
};

// Returns the beginning of a verb's help: the form and the summary.
std::string usage_text(const VerbUsage& usage);

// Returns the whole help of a verb with few flags. --help=TOPIC is the same as --help, because the
// page is short.
std::string verb_help(const VerbUsage& usage, std::vector<FlagDefinition> flags);

// Reads the command line of a verb that has few flags of its own, bound to its options. Returns the
// words that are not flags. If the command line asks for help, prints it and returns nothing. Only
// the command line gives values, because variables of the environment may be meant for other
// commands. Error(kUsage) as parse_flags().
std::optional<std::vector<std::string>> read_verb_arguments(std::span<const std::string> arguments,
                                                            const VerbUsage& usage,
                                                            std::vector<FlagDefinition> flags,
                                                            std::ostream& out);

// Throws Error(kUsage) if there are words, because the verb takes flags only.
void refuse_words(const std::vector<std::string>& words, std::string_view verb);

// Checks --output_file, if it is given, for a verb whose record is always JSON. To be called before
// the work, not after it. Error(kUsage) unless the name ends in .json and the file can be written.
void check_record_file(const std::string& path, const char* verb);

}  // namespace convoy::cli
