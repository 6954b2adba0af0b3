#pragma once

#include <convoy/abi.h>

namespace convoy::cpu {

// The implementation of one pass of a convolution: oneDNN's primitives, or the plug-in's own
// kernels.
enum class ConvolutionAlgorithm { kLibrary, kWinograd, kDirect, kDepthwise };

struct ConvolutionAlgorithms {
  ConvolutionAlgorithm forward = ConvolutionAlgorithm::kLibrary;
  ConvolutionAlgorithm backward_data = ConvolutionAlgorithm::kLibrary;
  ConvolutionAlgorithm backward_weights = ConvolutionAlgorithm::kLibrary;
};

// Chooses for a convolution that reads the node `input`. The choice depends only on the shapes, the
// compilation and, in bf16, the processor's instructions; never on a measurement.
ConvolutionAlgorithms choose_convolution_algorithms(const convoy_node& node,
                                                    const convoy_node& input,
                                                    const convoy_compilation& compilation);

}  // namespace convoy::cpu
