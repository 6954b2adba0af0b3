#pragma once

#include <cstdint>
#include <string>

#include "core/base/error.hpp"

namespace convoy::cli {

// Handles the signals that ask the process to end (Ctrl-C, SIGTERM, SIGHUP, and SIGXCPU of a limit
// of processor time) while this object lives. At first they end the process at once, because
// nothing would be lost. Once steps run, they ask it to end after the steps in progress, so that it
// can save a checkpoint and print a summary; a second signal then ends it at once. Signals within
// one second count as one, because `timeout` and some schedulers signal a process and its group. A
// limit of processor time warns again in every second, which changes nothing. SIGHUP stays ignored
// if it was ignored before (nohup). When whoever reads the output has gone (SIGPIPE), steps end,
// too; before them the process does. SIGUSR1 asks for a checkpoint, SIGUSR2 for a pause between two
// steps. One object at a time.
class InterruptGuard {
 public:
  using Clock = std::int64_t (*)();  // returns nanoseconds; a signal handler calls it
  static std::int64_t monotonic_nanoseconds();
  explicit InterruptGuard(Clock clock = &monotonic_nanoseconds);
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  // From now on, signals are only noted, and the run polls `requested()` or `code()`. `what`, a
  // literal, is the work in progress that ends first: the message to the user names it.
  void end_after(const char* what);
  void end_after_steps() { end_after("steps"); }

  // The same without a message, for code that only waits for something.
  void end_quietly();

  bool requested() const { return is_ending(); }
  // Returns whether the last guard got a signal to end; also valid after the guard's end.
  static bool is_ending();
  int signal() const;               // the signal that asked to end; 0: none came
  std::string signal_name() const;  // "SIGINT", for example; empty: none came
  // Returns kOk until a signal comes, then kInterrupted for SIGINT and kTerminated for the others.
  ExitCode code() const;
  // Returns whether SIGUSR1 came since the last call.
  bool take_save_request();
  // The same for SIGUSR2.
  bool take_standstill_request();
  // From now on, Ctrl-Z (SIGTSTP) does not stop the process. It is only noted.
  void note_suspension();
  bool take_suspend_request();
};

// While there is no InterruptGuard, the warning of a limit of processor time (SIGXCPU) ends the
// process, with a message.
void end_at_processor_limit();

}  // namespace convoy::cli
