#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/cli/verbs/children/child_program.hpp"

namespace convoy::cli {

// A `convoy run` that works for a slice of time, then pauses between two steps until its next
// slice. So two runs can be measured at the same time without disturbing each other. The process
// ends with this object, and if this process is killed. A program that cannot pause gets one slice,
// until its end.
class ChildInTurns {
 public:
  using Stop = std::function<bool()>;

  // Starts the run, in a child_environment(), and returns when its first timed step has ended, or
  // when `stop`, which is polled, returns true. `errors` is a file for its standard error. Its
  // standard output is discarded. Error kFailed if it cannot be started.
  ChildInTurns(const std::string& program, const std::vector<std::string>& arguments,
               std::filesystem::path errors, const Stop& stop);
  ~ChildInTurns();
  ChildInTurns(const ChildInTurns&) = delete;
  ChildInTurns& operator=(const ChildInTurns&) = delete;

  bool ended() const { return ended_; }
  // Lets it run for the slice, and then until the current step has ended, or until `stop`.
  void go_on(std::chrono::milliseconds slice, const Stop& stop);
  // Call this after it has ended.
  ChildOutcome outcome() const;

 private:
  void await_standstill(const Stop& stop);
  bool look(int options);

  std::filesystem::path errors_;
  pid_t process_ = -1;
  int status_ = 0;
  bool ended_ = false;
};

}  // namespace convoy::cli
