#include "plugins/devices/cuda/gpu/stopwatch.hpp"

#include "plugins/devices/cuda/status.hpp"

namespace convoy::cuda {

Stopwatch::Stopwatch(cudaStream_t stream) : stream_(stream) {
  require(cudaEventCreate(&start_), "creating an event");
  require(cudaEventCreate(&end_), "creating an event");
}

Stopwatch::~Stopwatch() {
  static_cast<void>(cudaEventDestroy(start_));
  static_cast<void>(cudaEventDestroy(end_));
}

void Stopwatch::start() {
  require(cudaEventRecord(start_, stream_), "recording an event");
}

double Stopwatch::stop() {
  require(cudaEventRecord(end_, stream_), "recording an event");
  require(cudaEventSynchronize(end_), "waiting for the GPU");
  float milliseconds = 0;
  require(cudaEventElapsedTime(&milliseconds, start_, end_), "reading an event's time");
  return static_cast<double>(milliseconds) * 1e-3;
}

}  // namespace convoy::cuda
