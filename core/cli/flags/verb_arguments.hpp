#pragma once

#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/cli/flags/flag.hpp"

namespace convoy::cli {

// How a verb is used, for its help.
struct VerbUsage {
  std::string_view form;     // "diff FIRST.json SECOND.json [flags]"
  std::string_view summary;  // sentences
};

// The beginning of a verb's help: the form and the summary.
std::string usage_text(const VerbUsage& usage);

// Such a verb's whole help: --help=TOPIC is --help, because the page is short.
std::string verb_help(const VerbUsage& usage, std::vector<FlagDefinition> flags);

// Reads the command line of a verb that has few flags of its own, bound to its options. Returns the
// words that are no flags. If the command line asks for help, prints that and returns nothing. Only
// the command line gives values: variables of the environment may be meant for other commands.
// Error(kUsage) as parse_flags().
std::optional<std::vector<std::string>> read_verb_arguments(std::span<const std::string> arguments,
                                                            const VerbUsage& usage,
                                                            std::vector<FlagDefinition> flags,
                                                            std::ostream& out);

// Error(kUsage) if there are words: the verb takes flags only.
void refuse_words(const std::vector<std::string>& words, std::string_view verb);

// Of a verb whose record is JSON alone: what --output_file gives, where something is given. Before
// the work, not after it. Error(kUsage) unless the name ends in .json and can be written.
void check_record_file(const std::string& path, const char* verb);

}  // namespace convoy::cli
