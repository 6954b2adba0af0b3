#pragma once

#include <functional>
#include <string>
#include <vector>

namespace convoy {

struct ChildOutcome {
  int exit_code = 0;  // 128 + n when signal n ended it
  std::string error;  // the last line that it wrote to standard error, without "convoy: error: "
};

// Of a program that has ended with this status (as waitpid gives it) and wrote this to standard
// error.
ChildOutcome outcome_of(int status, const std::string& errors);

// Runs this program with other arguments and waits for its end, which comes at once when `stop`,
// asked all the time, says so. Its standard output goes nowhere. Error kFailed when it cannot be
// started.
ChildOutcome run_child_program(const std::vector<std::string>& arguments,
                               const std::function<bool()>& stop);

// Runs this program with other arguments on this one's standard input, output and error, and waits
// for its end, or until `stop` says that it is to be killed. Returns its exit code, 128 + n when
// signal n ended it. Error kFailed when it cannot be started.
int show_child_program(const std::vector<std::string>& arguments,
                       const std::function<bool()>& stop);

}  // namespace convoy
