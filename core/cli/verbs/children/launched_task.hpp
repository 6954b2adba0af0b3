#pragma once

#include <poll.h>
#include <sched.h>
#include <sys/types.h>

#include <array>
#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

#include "core/cli/verbs/children/exec_words.hpp"

namespace convoy::cli {

// One task of convoy launch: its process and its output, line by line. The process ends with this
// object, and if this process is killed.
class LaunchedTask {
 public:
  // Starts this program with these arguments, the first of which is its name. cores: the cores that
  // it may use, null for all. Error kFailed if it cannot be started.
  LaunchedTask(std::string label, std::vector<std::string> arguments, const cpu_set_t* cores);
  ~LaunchedTask();
  LaunchedTask(const LaunchedTask&) = delete;
  LaunchedTask& operator=(const LaunchedTask&) = delete;

  const std::string& label() const { return label_; }
  bool ended() const { return ended_; }
  // Valid once it has ended; 128 + n: signal n ended it.
  int exit_code() const { return exit_code_; }
  // A signal killed it, so that it did not end in order.
  bool was_killed() const { return was_killed_; }
  void signal(int number) const;

  // Adds the file descriptors to poll for output.
  void add_to(std::vector<pollfd>& waits) const;
  // Copies the output since the last call, without waiting: standard output unchanged to `plain`,
  // if that is set, and all other output with the task's name to `labelled`.
  void pass_on(std::ostream* plain, std::ostream& labelled);

 private:
  struct Output {
    int descriptor = -1;
    std::string rest;  // the incomplete last line
  };

  [[noreturn]] static void become(pid_t launcher, ExecWords& words, const cpu_set_t* cores, int out,
                                  int err);
  static void read(Output& output, const std::function<void(const std::string&)>& print);
  void look_after();

  std::string label_;
  pid_t process_ = -1;
  bool ended_ = false;
  int exit_code_ = 0;
  bool was_killed_ = false;
  std::array<Output, 2> outputs_;  // standard output and error
};

}  // namespace convoy::cli
