#pragma once

#include <span>
#include <string>
#include <vector>

namespace convoy::cli {

// What completion and the manual need to know about a verb.
struct VerbHelp {
  std::string name;
  std::string summary;
  std::string help;  // help on all its flags
};

// The text that a verb prints for --help=all, or --help where it has no topics.
using HelpOf = VerbHelp (*)(const std::string& verb, std::span<const std::string> arguments);

// Returns the sorted completions of the last of these words, which follow "convoy" on a command
// line. Words may be empty or incomplete. The shell completes file names.
std::vector<std::string> completions(std::span<const std::string> words,
                                     const std::vector<std::string>& verbs, HelpOf help_of);

// The meaning of the program's exit codes.
inline constexpr const char* kExitCodes =
    "0 success; 1 failure, or check found a plan wrong or unproved; 2 wrong usage; 3 device, "
    "plug-in or environment missing, unusable or too small; 4 threshold missed; 5 numerical "
    "failure; 6 timeout or lost peer; 130 (Ctrl-C) and 143 (SIGTERM, SIGHUP, a limit of processor "
    "time, a closed output) interrupted, after a partial summary.";

// Returns the manual page of these verbs, for man(7).
std::string manual_page(const std::vector<VerbHelp>& verbs);

}  // namespace convoy::cli
