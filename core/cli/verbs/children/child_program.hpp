#pragma once

#include <functional>
#include <string>
#include <vector>

namespace convoy::cli {

struct ChildOutcome {
  int exit_code = 0;  // 128 + n when signal n ended it
  std::string error;  // the last line that it wrote to standard error, without "convoy: error: "
};

// What a convoy is started with: its name and these arguments.
std::vector<std::string> program_words(const std::vector<std::string>& arguments);

// The outcome of a program that ended with this status (from waitpid) and wrote this to standard
// error.
ChildOutcome outcome_of(int status, const std::string& errors);

// Runs this program with other arguments, in a child_environment(), and waits for its end. When
// `stop`, which is polled, returns true, the program is ended at once. Its standard output is
// discarded. It ends with the thread that called this. Error kFailed when it cannot be started.
ChildOutcome run_child_program(const std::vector<std::string>& arguments,
                               const std::function<bool()>& stop);

// Runs this program with other arguments, in such an environment and with the standard input,
// output and error of this process. Waits for its end; kills it when `stop` returns true. It ends
// with the thread that called this. Returns its exit code, 128 + n when signal n ended it. Error
// kFailed when it cannot be started.
int show_child_program(const std::vector<std::string>& arguments,
                       const std::function<bool()>& stop);

}  // namespace convoy::cli
