#pragma once

#include <optional>
#include <vector>

#include "plugins/devices/cuda/backend_descriptor.hpp"
#include "plugins/devices/cuda/convolution_shape.hpp"

namespace convoy::cuda {

// One pass of a convolution as a graph of cuDNN, and the ways to compute it that cuDNN proposes.
class ConvolutionGraph {
 public:
  // Identifiers of the three tensors.
  static constexpr std::int64_t kInput = 1, kFilter = 2, kOutput = 3;

  ConvolutionGraph(cudnnHandle_t handle, const ConvolutionShape& shape, ConvolutionPass pass);

  // Best guesses first, then those that always work. The same list for the same device and version.
  std::vector<BackendDescriptor> configurations() const;

 private:
  void add_configurations(cudnnBackendHeurMode_t mode, std::vector<BackendDescriptor>& all) const;

  std::vector<BackendDescriptor> parts_;  // of the graph
  BackendDescriptor graph_;
};

// What the engine of a configuration does to numbers; empty where cuDNN does not say.
using NumericalNotes = std::vector<cudnnBackendNumericalNote_t>;
std::optional<NumericalNotes> notes_of(const BackendDescriptor& configuration);

}  // namespace convoy::cuda
