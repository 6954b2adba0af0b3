#pragma once

#include "core/base/error.hpp"

namespace convoy {

// How a process takes the signals that ask it to end (Ctrl-C, SIGTERM, SIGHUP) while this lives.
// At first they end it at once, because nothing would be lost. Once steps run they ask it to end
// after those under way, so that what there is can be saved and summed up; a second signal ends it
// at once. SIGHUP stays ignored where it was (nohup). SIGUSR1 asks for a checkpoint and changes
// nothing else, SIGUSR2 for standing still between two steps. One guard at a time.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  // From now on a run asks `requested()` or `code()` again and again.
  void end_after_steps();

  // The same without a word: for what only waits and has no steps.
  void end_quietly();

  bool requested() const;
  int signal() const;  // that asked for it; 0: none came
  // kOk until a signal came, then kInterrupted, or kTerminated for SIGTERM and SIGHUP.
  ExitCode code() const;
  // Whether SIGUSR1 came since this was asked.
  bool take_save_request();
  // Likewise SIGUSR2.
  bool take_standstill_request();
};

}  // namespace convoy
