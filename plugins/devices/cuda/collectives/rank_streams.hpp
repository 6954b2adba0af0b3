#pragma once

#include <cuda_runtime_api.h>

namespace convoy::cuda {

// The streams and events that collectives need: one stream per GPU on which they run, and events
// before and after them. Functions throw when a device has failed.
class RankStreams {
 public:
  using Event = void*;

  virtual ~RankStreams() = default;
  // Sets the calling thread's GPU.
  virtual void use(int gpu) = 0;
  // Returns the stream of a GPU's collectives.
  virtual cudaStream_t stream(int gpu) = 0;
  // Returns the GPU that owns the memory; -1: the host.
  virtual int gpu_of(const void* memory) = 0;
  // Records an event on a stream of that GPU; a stream of any GPU can wait for it.
  virtual Event record(int gpu, cudaStream_t stream) = 0;
  virtual void wait(cudaStream_t stream, Event event) = 0;
  virtual bool reached(Event event) = 0;
  virtual void give_back(int gpu, Event event) = 0;
};

}  // namespace convoy::cuda
