#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/cli/flags/flag_parser.hpp"

namespace convoy::cli {

// Returns the arguments with every --flagfile=FILE replaced by the flags in that file. A file has
// one flag per line, '#' begins a comment line, and files may name other files. The flags of the
// file in CONVOY_FLAGFILE come before the first flag, so that the command line overrides them. Each
// file is read only once, so it may be a pipe. Arguments after "--" are not changed. Error(kUsage)
// for files that cannot be read, lines that are not flags, files that name each other in a cycle,
// and too many files or flags.
std::vector<std::string> expand_flag_files(
    std::span<const std::string> arguments,
    const EnvironmentLookup& environment = system_environment);

}  // namespace convoy::cli
