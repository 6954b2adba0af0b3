#pragma once

#include <optional>

namespace convoy::calibrate {

// The part of all cores' time that this process lost while it measured: to other programs or, in a
// virtual machine, to the host. The system counts it and may not know everything: hosts can hide
// the time they take, and a container also counts processes outside of it.
class Disturbance {
 public:
  // Starts counting.
  Disturbance() : start_(read()) {}

  // The part lost since then, from 0 to 1. Nothing if the system does not count it.
  std::optional<double> share() const;

 private:
  struct Times {  // of all cores together, in seconds
    double all = 0;
    double taken = 0;  // neither idle nor used by this process
  };
  static std::optional<Times> read();

  std::optional<Times> start_;
};

}  // namespace convoy::calibrate
