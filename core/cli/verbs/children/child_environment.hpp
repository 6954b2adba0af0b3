#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace convoy::cli {

// Returns whether the flag concerns all runs of a command together. No single run gets it.
bool is_of_all_runs(std::string_view flag);

// Returns the flags that several runs of a command cannot share, because they would continue each
// other's training or write to one file.
std::span<const std::string_view> flags_of_one_run();

// Returns the environment for a program that this one starts with arguments of its own, as
// NAME=value. Every flag may also be a variable, and the program reads both. So this leaves out the
// flags that concern all runs or one run. It also leaves out the flag file, because its flags are
// among the arguments.
std::vector<std::string> child_environment();
// The same for another environment than this program's. The array ends with null.
std::vector<std::string> child_environment(const char* const* environment);

}  // namespace convoy::cli
