#pragma once

#include <optional>

namespace convoy::calibrate {

// Measures the part of all cores' time that this process lost while it measured: to other programs
// or, in a virtual machine, to the host. The system's count may be incomplete: hosts can hide the
// time they take, and a container also counts processes outside of it.
class Disturbance {
 public:
  // Starts counting.
  Disturbance() : start_(read()) {}

  // Returns the part lost since then, from 0 to 1. Empty if the system does not count it.
  std::optional<double> share() const;

 private:
  struct Times {  // totals over all cores, in seconds
    double all = 0;
    double taken = 0;  // neither idle nor used by this process
  };
  static std::optional<Times> read();

  std::optional<Times> start_;
};

}  // namespace convoy::calibrate
