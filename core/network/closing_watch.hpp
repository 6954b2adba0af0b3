#pragma once

#include <chrono>

namespace convoy::network {

// Lives while gRPC closes connections, which may take for ever: where the system has refused it a
// thread, it waits for what only that thread would do. After `patience`, in which time that the
// process was stopped hardly counts, the process ends with kUnavailable, and standard error says
// why. Several may live at a time: then the first one's patience begins anew with each. Uses
// SIGALRM; where that has a handler already, nothing is watched. Throws nothing.
class ClosingWatch {
 public:
  explicit ClosingWatch(std::chrono::milliseconds patience = std::chrono::seconds(10));
  ~ClosingWatch();
  ClosingWatch(const ClosingWatch&) = delete;
  ClosingWatch& operator=(const ClosingWatch&) = delete;
};

}  // namespace convoy::network
