#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/cli/verbs/child_program.hpp"

namespace convoy {

// A `convoy run` that has the machine for a slice of time, then stands still between two steps
// until its next slice, so that two of them can be measured at the same time without disturbing
// each other. It ends with this object, and when this process is killed. A program that does not
// know how to stand still has one slice, to its end.
class ChildInTurns {
 public:
  using Stop = std::function<bool()>;

  // errors: a file for its standard error; its standard output goes nowhere. Starts it, and returns
  // when its first timed step has ended, or when `stop`, asked all the time, says so. Error kFailed
  // when it cannot be started.
  ChildInTurns(const std::string& program, const std::vector<std::string>& arguments,
               std::filesystem::path errors, const Stop& stop);
  ~ChildInTurns();
  ChildInTurns(const ChildInTurns&) = delete;
  ChildInTurns& operator=(const ChildInTurns&) = delete;

  bool ended() const { return ended_; }
  // Lets it go on for so long, and then until the step under way has ended, or until `stop`.
  void go_on(std::chrono::milliseconds slice, const Stop& stop);
  // Once it has ended.
  ChildOutcome outcome() const;

 private:
  void await_standstill(const Stop& stop);
  bool look(int options);

  std::filesystem::path errors_;
  pid_t process_ = -1;
  int status_ = 0;
  bool ended_ = false;
};

}  // namespace convoy
