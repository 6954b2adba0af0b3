#pragma once

#include <cuda_runtime_api.h>

namespace convoy::cuda {

// The time of work on a stream, on the device's clock.
class Stopwatch {
 public:
  explicit Stopwatch(cudaStream_t stream);
  ~Stopwatch();
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

  void start();
  double stop();  // waits; returns the seconds since start()

 private:
  cudaStream_t stream_;
  cudaEvent_t start_ = nullptr;
  cudaEvent_t end_ = nullptr;
};

}  // namespace convoy::cuda
