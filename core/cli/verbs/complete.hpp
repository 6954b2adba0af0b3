#pragma once

#include <iosfwd>
#include <span>
#include <string>
#include <vector>

#include "core/cli/verbs/verb_help.hpp"

namespace convoy::cli {

// The text that a verb prints for --help=all, or --help where it has no topics.
using HelpOf = VerbHelp (*)(const std::string& verb, std::span<const std::string> arguments);

// The completions of the last of these words, which follow "convoy" on a command line; sorted.
// Words may be empty or incomplete. The shell completes file names.
std::vector<std::string> completions(std::span<const std::string> words,
                                     const std::vector<std::string>& verbs, HelpOf help_of);

}  // namespace convoy::cli
