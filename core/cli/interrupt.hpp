#pragma once

#include "core/base/error.hpp"

namespace convoy {

// While it lives, Ctrl-C and SIGTERM ask the run to end after the steps under way, so that a
// partial summary can be written; a second signal ends the process at once. One at a time.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  bool requested() const;
  // kOk until a signal came, then kInterrupted or kTerminated.
  ExitCode code() const;
};

}  // namespace convoy
