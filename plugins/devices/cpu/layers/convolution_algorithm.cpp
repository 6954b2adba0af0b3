#include "plugins/devices/cpu/layers/convolution_algorithm.hpp"

#include "plugins/devices/cpu/layers/direct_weights_gradient.hpp"

namespace convoy::cpu {

ConvolutionAlgorithms choose_convolution_algorithms(const convoy_node& node,
                                                    const convoy_node& input,
                                                    const convoy_compilation& compilation) {
  ConvolutionAlgorithms chosen;
  if (suits_direct_weights_gradient(node, input, compilation)) {
    chosen.backward_weights = ConvolutionAlgorithm::kDirect;
  }
  return chosen;
}

}  // namespace convoy::cpu
