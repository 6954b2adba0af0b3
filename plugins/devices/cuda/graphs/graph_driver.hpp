#pragma once

#include <cuda_runtime_api.h>

namespace convoy::cuda {

// What replaying needs of CUDA graphs. Functions throw when the device has failed.
class GraphDriver {
 public:
  using Graph = void*;

  virtual ~GraphDriver() = default;
  // From here on the calling thread's work for the stream is recorded instead of done.
  virtual void begin(cudaStream_t stream) = 0;
  // What was recorded, ready to be launched; null when something in it cannot be.
  virtual Graph end(cudaStream_t stream) = 0;
  virtual void launch(Graph graph, cudaStream_t stream) = 0;
  virtual void destroy(Graph graph) = 0;
};

// The driver's own.
GraphDriver& cuda_graphs();

}  // namespace convoy::cuda
