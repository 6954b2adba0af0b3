#pragma once

#include <chrono>

namespace convoy::network {

// Limits the time in which gRPC closes its connections. That may take for ever: if the system has
// refused gRPC a thread, gRPC waits for what only that thread would do. After `patience`, the
// process ends with kUnavailable, and standard error says why. Time in which the process was
// stopped hardly counts. Several watches may exist at a time; each new one restarts the first one's
// patience. Uses SIGALRM; if that has a handler already, nothing is watched. Throws nothing.
class ClosingWatch {
 public:
  explicit ClosingWatch(std::chrono::milliseconds patience = std::chrono::seconds(10));
  ~ClosingWatch();
  ClosingWatch(const ClosingWatch&) = delete;
  ClosingWatch& operator=(const ClosingWatch&) = delete;
};

}  // namespace convoy::network
