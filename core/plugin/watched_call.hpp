#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/base/error.hpp"

namespace convoy {

// The calling thread is in a plug-in's code while this lives. When it has been there for longer
// than it may, standard error names the plug-in and what it was doing, and the process ends with
// code kUnavailable: nothing else helps against a function that does not return. Takes no memory
// and no lock; of more than 256 calls at a time the next ones are not watched.
class WatchedCall {
 public:
  // It may take `patience` seconds and `more`; patience 0: for ever. The texts must outlive it.
  WatchedCall(const char* plugin, std::string_view doing, double patience, double more);
  ~WatchedCall();
  WatchedCall(const WatchedCall&) = delete;
  WatchedCall& operator=(const WatchedCall&) = delete;

 private:
  std::size_t slot_;
  std::uint64_t ticket_ = 0;
};

// Starts the thread that looks after such calls, if it does not run yet. Copies of the process have
// none. Error kUnavailable when the system gives no thread.
void watch_calls();

// The process is to end with this code (kOk: it is not). A watched call that would have to be over
// by now ends it after another 0.8 s. For signal handlers, too.
void hurry_calls(ExitCode code);
// The code that was given last.
ExitCode hurried_calls();

}  // namespace convoy
