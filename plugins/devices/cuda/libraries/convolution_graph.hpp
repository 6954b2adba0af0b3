#pragma once

#include <vector>

#include "plugins/devices/cuda/libraries/backend_descriptor.hpp"
#include "plugins/devices/cuda/libraries/convolution_shape.hpp"

namespace convoy::cuda {

// From this version of its header on cuDNN proposes for GPUs that are not here.
#define CONVOY_CUDNN_DESCRIBES_GPUS 91100

// For which GPU cuDNN proposes: the one of a handle, or one that need not be here, described by a
// descriptor of CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR that stays.
struct CudnnTarget {
  cudnnHandle_t handle = nullptr;
  const BackendDescriptor* properties = nullptr;
};

// One pass of a convolution as a graph of cuDNN, and the ways to compute it that cuDNN proposes.
class ConvolutionGraph {
 public:
  // Identifiers of the three tensors.
  static constexpr std::int64_t kInput = 1, kFilter = 2, kOutput = 3;

  ConvolutionGraph(const CudnnTarget& target, const ConvolutionShape& shape, ConvolutionPass pass);

  // Best guesses first, then those that always work. The same list for the same device and version.
  std::vector<BackendDescriptor> configurations() const;

 private:
  void add_configurations(cudnnBackendHeurMode_t mode, std::vector<BackendDescriptor>& all) const;

  CudnnTarget target_;
  std::vector<BackendDescriptor> parts_;  // of the graph
  BackendDescriptor graph_;
};

// Whether sums have an order in a configuration, and what its engine does to numbers is what the
// shape allows. Not where cuDNN does not say.
bool is_usable(const BackendDescriptor& configuration, const ConvolutionShape& shape);

}  // namespace convoy::cuda
