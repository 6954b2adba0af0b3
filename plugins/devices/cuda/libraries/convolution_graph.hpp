#pragma once

#include <vector>

#include "plugins/devices/cuda/libraries/backend_descriptor.hpp"
#include "plugins/devices/cuda/libraries/convolution_shape.hpp"

namespace convoy::cuda {

// From this version of its header on, cuDNN makes proposals for GPUs that are not present.
#define CONVOY_CUDNN_DESCRIBES_GPUS 91100

// The GPU for which cuDNN makes proposals: that of a handle, or one that need not be present. A
// descriptor of CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR describes the latter and must outlive this
// object.
struct CudnnTarget {
  cudnnHandle_t handle = nullptr;
  const BackendDescriptor* properties = nullptr;
};

// One pass of a convolution as a cuDNN graph, and the configurations that cuDNN proposes for it.
class ConvolutionGraph {
 public:
  // Identifiers of the three tensors.
  static constexpr std::int64_t kInput = 1, kFilter = 2, kOutput = 3;

  ConvolutionGraph(const CudnnTarget& target, const ConvolutionShape& shape, ConvolutionPass pass);

  // Best guesses first, then those that always work. The list is the same for the same device and
  // version.
  std::vector<BackendDescriptor> configurations() const;

 private:
  void add_configurations(cudnnBackendHeurMode_t mode, std::vector<BackendDescriptor>& all) const;

  CudnnTarget target_;
  std::vector<BackendDescriptor> parts_;  // parts of the graph
  BackendDescriptor graph_;
};

// Whether a configuration sums in a fixed order, and the shape allows what its engine does to
// numbers. False if cuDNN does not report it.
bool is_usable(const BackendDescriptor& configuration, const ConvolutionShape& shape);

}  // namespace convoy::cuda
