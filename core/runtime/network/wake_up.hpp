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

  // Ends the next sleep, or the present one, at once. Any thread may call it.
  void ring();
  // Sleeps until ring() is called, one of the descriptors is readable, or `seconds` have passed.
  // Only one thread may call it.
  void sleep(std::span<const int> descriptors, double seconds);

 private:
  int event_;
};

}  // namespace convoy::runtime
