#pragma once

#include <span>

namespace convoy::runtime {

// Lets one thread sleep until a file descriptor is readable or ring() is called.
class WakeUp {
 public:
  // Error kUnavailable when the process may open no more descriptors.
  WakeUp();
  ~WakeUp();
  WakeUp(const WakeUp&) = delete;
  WakeUp& operator=(const WakeUp&) = delete;

  // Any thread; the next sleep, or the one that goes on, ends at once.
  void ring();
  // Sleeps until ring(), until one of the descriptors is readable, or `seconds` long. One thread.
  void sleep(std::span<const int> descriptors, double seconds);

 private:
  int event_;
};

}  // namespace convoy::runtime
