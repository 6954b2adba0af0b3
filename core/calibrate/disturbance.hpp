#pragma once

#include <optional>

namespace convoy::calibrate {

// What part of all cores' time was taken from this process while it measured: by other programs,
// or, in a virtual machine, by its host. As the system counts it, so only as well as it knows:
// hosts may hide what they take, and containers count what is outside of them.
class Disturbance {
 public:
  // Starts to count.
  Disturbance() : start_(read()) {}

  // Since then, 0 to 1; nothing where the system does not tell.
  std::optional<double> share() const;

 private:
  struct Times {  // of all cores together, in seconds
    double all = 0;
    double taken = 0;  // neither idle nor this process's
  };
  static std::optional<Times> read();

  std::optional<Times> start_;
};

}  // namespace convoy::calibrate
