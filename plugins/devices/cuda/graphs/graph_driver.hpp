#pragma once

#include <cuda_runtime_api.h>

namespace convoy::cuda {

// The functions of CUDA graphs that replaying needs. They throw when the device has failed.
class GraphDriver {
 public:
  using Graph = void*;
  using Mark = void*;  // an event whose time a StreamDriver knows

  virtual ~GraphDriver() = default;
  // From now on, the calling thread's work for the stream is recorded instead of run. The same
  // applies to streams that wait for recorded work.
  virtual void begin(cudaStream_t stream) = 0;
  // Returns the recording, ready to be launched; null when a part of it cannot be.
  virtual Graph end(cudaStream_t stream) = 0;
  virtual void launch(Graph graph, cudaStream_t stream) = 0;
  virtual void destroy(Graph graph) = 0;

  virtual Mark make_mark() = 0;
  // Call it while the stream is recorded: the graph notes the time when it reaches this point.
  virtual void place(Mark mark, cudaStream_t stream) = 0;
  virtual void destroy_mark(Mark mark) = 0;
};

// The implementation with CUDA's driver.
GraphDriver& cuda_graphs();

}  // namespace convoy::cuda
