#pragma once

#include <convoy/abi.h>

namespace convoy::cpu {

// Who computes one pass of a convolution: oneDNN's primitives, or the plug-in's own kernels.
enum class ConvolutionAlgorithm { kLibrary, kWinograd, kDirect, kDepthwise };

struct ConvolutionAlgorithms {
  ConvolutionAlgorithm forward = ConvolutionAlgorithm::kLibrary;
  ConvolutionAlgorithm backward_data = ConvolutionAlgorithm::kLibrary;
  ConvolutionAlgorithm backward_weights = ConvolutionAlgorithm::kLibrary;
};

// The choice for a convolution that reads the node `input`. It depends on nothing but the shapes
// and the compilation, never on a measurement: the same program gives the same numbers everywhere.
ConvolutionAlgorithms choose_convolution_algorithms(const convoy_node& node,
                                                    const convoy_node& input,
                                                    const convoy_compilation& compilation);

}  // namespace convoy::cpu
