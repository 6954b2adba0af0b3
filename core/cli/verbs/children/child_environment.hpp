#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace convoy::cli {

// Whether the flag is about all runs of a command together. No single one of them has it.
bool is_of_all_runs(std::string_view flag);

// The flags that several runs of a command cannot share: they would continue each other's training
// or write to one file.
std::span<const std::string_view> flags_of_one_run();

// The environment of a program that this one starts with words of its own, as NAME=value. Every
// flag may be a variable, and the program reads the variables as well as its words. So the flags
// that are about all runs or for one run are left out, and so is the flag file: its flags are among
// the words.
std::vector<std::string> child_environment();
// The same of another environment than this program's; it ends with null.
std::vector<std::string> child_environment(const char* const* environment);

}  // namespace convoy::cli
