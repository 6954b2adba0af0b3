#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/base/error.hpp"

namespace convoy::plugin {

// A scope in which the calling thread is in a plug-in's code. If that takes longer than allowed,
// standard error names the plug-in and what it was doing, and the process ends with code
// kUnavailable, because a function that does not return cannot be stopped. Allocates no memory and
// takes no lock. At most 256 calls are watched at a time.
class WatchedCall {
 public:
  // Allowed are `patience` + `more` seconds; patience 0: no limit. The texts must outlive it.
  WatchedCall(const char* plugin, std::string_view doing, double patience, double more);
  ~WatchedCall();
  WatchedCall(const WatchedCall&) = delete;
  WatchedCall& operator=(const WatchedCall&) = delete;

 private:
  std::size_t slot_;
  std::uint64_t ticket_ = 0;
};

// Starts the thread that watches such calls, if it does not run yet. Forked copies of the process
// have none. Error kUnavailable when the system gives no thread.
void watch_calls();

// Requests that the process ends with this code (kOk: cancels the request). A watched call that has
// used up its time then ends the process after another 0.8 s. Async-signal-safe.
void hurry_calls(ExitCode code);
// The code of the last hurry_calls().
ExitCode hurried_calls();

}  // namespace convoy::plugin
