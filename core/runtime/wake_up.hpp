#pragma once

#include <span>

namespace convoy {

// Wakes one thread that sleeps until a file descriptor is readable or somebody rings.
class WakeUp {
 public:
  // Error kUnavailable when the process may open no more descriptors.
  WakeUp();
  ~WakeUp();
  WakeUp(const WakeUp&) = delete;
  WakeUp& operator=(const WakeUp&) = delete;

  // Any thread; the next sleep, or the one that goes on, ends at once.
  void ring();
  // Until ring(), until one of the descriptors is readable or for so many seconds. One thread.
  void sleep(std::span<const int> descriptors, double seconds);

 private:
  int event_;
};

}  // namespace convoy
