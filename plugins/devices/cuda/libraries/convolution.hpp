#pragma once

#include <optional>

#include "plugins/devices/cuda/libraries/algorithm_cache.hpp"
#include "plugins/devices/cuda/libraries/convolution_graph.hpp"

namespace convoy::cuda {

// Where a convolution computes: what it reads and writes in its pass.
struct ConvolutionMemory {
  void* input;
  void* filter;
  void* output;
};

// One pass of a convolution, by the fastest deterministic way that cuDNN has for it on this GPU.
// The choice is measured once per device, library version and shape, and kept in the cache.
class Convolution {
 public:
  // memory: what measuring may read and write, with workspace_limit bytes of workspace.
  Convolution(CudnnHandle handle, cudaStream_t stream, const ConvolutionShape& shape,
              ConvolutionPass pass, const ConvolutionMemory& memory, void* workspace,
              std::uint64_t workspace_limit, const std::string& gpu, AlgorithmCache& cache);

  std::uint64_t workspace_bytes() const { return workspace_bytes_; }
  // On the handle's stream.
  void run(const ConvolutionMemory& memory, void* workspace) const;

 private:
  bool build(const BackendDescriptor& configuration);
  std::optional<double> seconds(const ConvolutionMemory& memory, void* workspace,
                                cudaStream_t stream) const;

  CudnnHandle handle_;
  // What the plan was made of stays as long as the plan.
  std::optional<ConvolutionGraph> graph_;
  std::optional<BackendDescriptor> configuration_;
  std::optional<BackendDescriptor> plan_;
  std::uint64_t workspace_bytes_ = 0;
};

// The algorithms that convolutions of this process were measured to be fastest with.
AlgorithmCache& shared_algorithm_cache();

}  // namespace convoy::cuda
