#pragma once

#include "plugins/devices/cpu/layers/layer.hpp"

namespace convoy::cpu {

// Zeroes elements at random and scales the others by 1/keep. The choice is a hash of seed, step,
// replica, node and the element's index in NCHW order, so that the backward pass can repeat it
// without storing it and that neither the storage nor the number of threads changes it.
class Dropout : public Layer {
 public:
  void build_forward(ProgramBuilder& builder, std::size_t node) override;
  void build_backward(ProgramBuilder& builder, std::size_t node) override;
};

}  // namespace convoy::cpu
