#pragma once

#include <cstdint>

namespace convoy::cuda {

// What an operation takes from the step that it belongs to. What is recorded for replaying reads it
// from device memory, which gets the step's values before each launch.
struct StepValues {
  std::uint64_t step;
  float learning_rate;  // with Adam's bias correction
};

}  // namespace convoy::cuda
