#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tests/end_to_end/running_program.hpp"

namespace convoy {

using Arguments = std::vector<std::string>;

Arguments operator+(Arguments first, const Arguments& second);

// lenet in small, fast steps, which end by themselves only if the test says when.
Arguments endless_training();

// Addresses of this machine where nobody listens.
Arguments free_addresses(std::size_t count, const std::string& host = "127.0.0.1");

// `plan` shows of this command line of `run` the plan that the record of the run names.
void expect_plan_is_shown(Arguments command_line, const std::string& record);

// Two workers and a server on this machine, started by hand. Members end with this object.
class HostTasks {
 public:
  enum Task : std::size_t { kWorker0, kWorker1, kServer };
  static constexpr std::size_t kTasks = 3;

  // `flags`: of both workers, and of the server what it needs.
  explicit HostTasks(Arguments flags, Arguments of_all = {});

  // "worker 0", "worker 1", "ps 0".
  static const char* name(std::size_t task);
  Arguments command_line(std::size_t task) const;
  RunningProgram& start(std::size_t task, const Arguments& more = {},
                        const ProgramOptions& options = {});
  void start_all();
  RunningProgram& operator[](std::size_t task) { return *programs_[task]; }
  const std::vector<std::string>& addresses() const { return addresses_; }

 private:
  Arguments flags_;
  Arguments of_all_;
  Arguments addresses_;
  std::vector<std::unique_ptr<RunningProgram>> programs_{kTasks};
};

}  // namespace convoy
