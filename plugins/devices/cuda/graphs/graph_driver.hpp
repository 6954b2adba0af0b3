#pragma once

#include <cuda_runtime_api.h>

namespace convoy::cuda {

// What replaying needs of CUDA graphs. Functions throw when the device has failed.
class GraphDriver {
 public:
  using Graph = void*;
  using Mark = void*;  // an event whose time a StreamDriver knows

  virtual ~GraphDriver() = default;
  // From here on the calling thread's work for the stream is recorded instead of done, and for the
  // streams that are made to wait for what is recorded.
  virtual void begin(cudaStream_t stream) = 0;
  // What was recorded, ready to be launched; null when something in it cannot be.
  virtual Graph end(cudaStream_t stream) = 0;
  virtual void launch(Graph graph, cudaStream_t stream) = 0;
  virtual void destroy(Graph graph) = 0;

  virtual Mark make_mark() = 0;
  // While the stream is recorded: the graph notes the time when it comes here.
  virtual void place(Mark mark, cudaStream_t stream) = 0;
  virtual void destroy_mark(Mark mark) = 0;
};

// The driver's own.
GraphDriver& cuda_graphs();

}  // namespace convoy::cuda
