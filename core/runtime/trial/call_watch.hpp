#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <cstdint>

#include "core/runtime/trial/call_time.hpp"

namespace convoy::runtime {

// Waits for a child process that makes calls. Kills it when more than `limit` seconds of a call
// count. The child cannot prevent that, whatever its calls do with signals. `calls` is in memory
// that both processes share: the child adds 1 when a call begins and when it ends. While this
// process itself is stopped, no time counts.
class CallWatch {
 public:
  CallWatch(pid_t child, std::uint64_t& calls, double limit)
      : child_(child), calls_(calls), limit_(limit) {}

  // Waits until the child has ended. Returns its status.
  int wait(rusage& used);
  // Whether the child was killed because a call took too long.
  bool was_late() const { return was_late_; }

 private:
  bool is_late();

  pid_t child_;
  std::uint64_t& calls_;
  double limit_;
  bool was_late_ = false;
  std::uint64_t seen_ = 0;  // beginnings and ends of calls
  ProcessTime begun_ = {};  // the times when the last of these was seen
  double last_look_ = 0;
  double on_wall_ = 0;  // since begun_, without the time in which this process was stopped
  double nap_ = 0;
};

}  // namespace convoy::runtime
