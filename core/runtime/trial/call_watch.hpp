#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <cstdint>

#include "core/runtime/trial/call_time.hpp"

namespace convoy::runtime {

// Waits for a child process that makes calls, and kills it when more than `limit` seconds of a call
// count. The child cannot prevent that, whatever its calls do with signals. `calls` is in memory
// that both share: the child adds 1 when a call begins and when it ends. While this process stands
// still itself, no time counts.
class CallWatch {
 public:
  CallWatch(pid_t child, std::uint64_t& calls, double limit)
      : child_(child), calls_(calls), limit_(limit) {}

  // Until the child has ended; its status.
  int wait(rusage& used);
  // Whether it was killed for a late call.
  bool was_late() const { return was_late_; }

 private:
  bool is_late();

  pid_t child_;
  std::uint64_t& calls_;
  double limit_;
  bool was_late_ = false;
  std::uint64_t seen_ = 0;  // of the calls' beginnings and ends
  ProcessTime begun_ = {};  // when the last one of these was seen
  double last_look_ = 0;
  double on_wall_ = 0;  // since begun_, without what this process stood still
  double nap_ = 0;
};

}  // namespace convoy::runtime
