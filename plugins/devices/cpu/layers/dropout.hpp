#pragma once

#include "plugins/devices/cpu/layers/layer.hpp"

namespace convoy::cpu {

// Zeroes elements at random and scales the others by 1/keep. The choice is a hash of seed, step,n//
// replica, node and element, so that the backward pass can repeat it without storing it.
class Dropout : public Layer {
 public:
  void build_forward(ProgramBuilder& builder, std::size_t node) override;
  void build_backward(ProgramBuilder& builder, std::size_t node) override;
};

}  // namespace convoy::cpu
