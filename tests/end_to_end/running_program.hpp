#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "tests/end_to_end/run_program.hpp"

namespace convoy {

// build/<preset>/bin/convoy while it runs, with what it has said so far. It does not outlive this
// object, nor the test.
class RunningProgram {
 public:
  // Of the options, program and cache_folder count. `on_host`: a process in whose namespaces of
  // networks and mounts it runs.
  explicit RunningProgram(const std::vector<std::string>& arguments,
                          std::optional<pid_t> on_host = {}, const ProgramOptions& options = {});
  RunningProgram(const RunningProgram&) = delete;
  RunningProgram& operator=(const RunningProgram&) = delete;
  ~RunningProgram();

  void signal(int number) const;
  // Waits until it handles this signal itself; false when it does not in time.
  bool catches(int number, double seconds = 60) const;
  std::string out() const;
  std::string err() const;
  // Waits until this text has appeared on one of the two; false when it does not in time, or the
  // program ends without.
  bool says(const std::string& text, double seconds = 60);
  // Its exit code, 128 + n when signal n ended it; nothing when it still runs after this time.
  std::optional<int> exit_code(double seconds = 60);

 private:
  bool has_said(const std::string& text) const;

  std::string folder_;
  pid_t pid_ = -1;
  std::optional<int> code_;
};

// Processes whose command line has this text, this one and its own ancestors left out.
std::vector<pid_t> processes_with(const std::string& text);

}  // namespace convoy
