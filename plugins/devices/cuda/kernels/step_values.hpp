#pragma once

#include <cstdint>

namespace convoy::cuda {

// The values of an operation that depend on its step. Recorded work reads them from device memory,
// which gets the step's values before each launch.
struct StepValues {
  std::uint64_t step;
  float learning_rate;  // with Adam's bias correction
};

}  // namespace convoy::cuda
