#pragma once

#include <functional>
#include <string>
#include <vector>

namespace convoy::cli {

struct ChildOutcome {
  int exit_code = 0;  // 128 + n if signal n ended it
  std::string error;  // the last line on standard error, without "convoy: error: "
};

// Returns the argument vector of a convoy process: its name and these arguments.
std::vector<std::string> program_words(const std::vector<std::string>& arguments);

// Returns the outcome of a program that ended with this status (from waitpid) and wrote this to
// standard error.
ChildOutcome outcome_of(int status, const std::string& errors);

// Runs this program with other arguments, in a child_environment(), and waits for its end. When
// `stop`, which is polled, returns true, the program is ended at once. Its standard output is
// discarded. It ends with the thread that called this. Error kFailed when it cannot be started.
ChildOutcome run_child_program(const std::vector<std::string>& arguments,
                               const std::function<bool()>& stop);

// Runs this program with other arguments, in a child_environment() and with the standard input,
// output and error of this process. Waits for its end; kills it when `stop` returns true. It ends
// with the thread that called this. Returns its exit code, 128 + n if signal n ended it. Error
// kFailed if it cannot be started.
int show_child_program(const std::vector<std::string>& arguments,
                       const std::function<bool()>& stop);

}  // namespace convoy::cli
