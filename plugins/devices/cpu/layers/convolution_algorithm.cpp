#include "plugins/devices/cpu/layers/convolution_algorithm.hpp"

namespace convoy::cpu {

ConvolutionAlgorithms choose_convolution_algorithms(const convoy_node& /*node*/,
                                                    const convoy_node& /*input*/,
                                                    const convoy_compilation& /*compilation*/) {
  return {};
}

}  // namespace convoy::cpu
