#pragma once

#include <cuda_runtime_api.h>

namespace convoy::cuda {

// What collectives need of streams and events: one stream per GPU on which they run, and a way in
// and out of it. Functions throw when a device has failed.
class RankStreams {
 public:
  using Event = void*;

  virtual ~RankStreams() = default;
  // Makes a GPU the calling thread's.
  virtual void use(int gpu) = 0;
  // The stream of a GPU's collectives.
  virtual cudaStream_t stream(int gpu) = 0;
  // Whose memory it is; -1: the host's.
  virtual int gpu_of(const void* memory) = 0;
  // An event on a stream of that GPU; for a stream of any GPU to wait for.
  virtual Event record(int gpu, cudaStream_t stream) = 0;
  virtual void wait(cudaStream_t stream, Event event) = 0;
  virtual bool reached(Event event) = 0;
  virtual void give_back(int gpu, Event event) = 0;
};

}  // namespace convoy::cuda
