#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace convoy::network {

// A task in a process of its own (task_program.cpp). It does not outlive this object.
class TaskProcess {
 public:
  explicit TaskProcess(const std::vector<std::string>& arguments);
  TaskProcess(TaskProcess&& other) noexcept;
  TaskProcess(const TaskProcess&) = delete;
  TaskProcess& operator=(const TaskProcess&) = delete;
  ~TaskProcess();

  pid_t pid() const { return pid_; }
  void signal(int number) const;
  // The next line that begins so; nothing when none comes in time or the output ends.
  std::optional<std::string> line(const std::string& beginning, double seconds = 10);
  // The exit code, -signal when a signal ended it; nothing when it runs on.
  std::optional<int> exit_code(double seconds = 10);

 private:
  bool read_more(double seconds);

  pid_t pid_ = -1;
  int output_ = -1;
  std::string text_;
  std::optional<int> code_;
};

}  // namespace convoy::network
