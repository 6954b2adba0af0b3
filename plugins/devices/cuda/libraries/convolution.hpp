#pragma once

#include <optional>

#include "plugins/devices/cuda/libraries/algorithm_cache.hpp"
#include "plugins/devices/cuda/libraries/convolution_graph.hpp"

namespace convoy::cuda {

// The memory of one pass of a convolution.
struct ConvolutionMemory {
  void* input;
  void* filter;
  void* output;
};

// One pass of a convolution, with the fastest deterministic algorithm that cuDNN has for it on this
// GPU. The choice is measured once per device, library version and shape, and kept in the cache.
class Convolution {
 public:
  // memory: measuring may read and write it, with workspace_limit bytes of workspace.
  Convolution(CudnnHandle handle, cudaStream_t stream, const ConvolutionShape& shape,
              ConvolutionPass pass, const ConvolutionMemory& memory, void* workspace,
              std::uint64_t workspace_limit, const std::string& gpu, AlgorithmCache& cache);

  std::uint64_t workspace_bytes() const { return workspace_bytes_; }
  // Runs on the handle's stream.
  void run(const ConvolutionMemory& memory, void* workspace) const;

 private:
  bool build(const BackendDescriptor& configuration);
  std::optional<double> seconds(const ConvolutionMemory& memory, void* workspace,
                                cudaStream_t stream) const;

  CudnnHandle handle_;
  // Objects that the plan refers to.
  std::optional<ConvolutionGraph> graph_;
  std::optional<BackendDescriptor> configuration_;
  std::optional<BackendDescriptor> plan_;
  std::uint64_t workspace_bytes_ = 0;
};

// The fastest measured algorithms for the convolutions of this process.
AlgorithmCache& shared_algorithm_cache();

}  // namespace convoy::cuda
