#pragma once

#include "plugins/devices/cpu/layers/layer.hpp"

namespace convoy::cpu {

// max(x, 0), with an upper limit if there is one; in place where it can be.
class Relu : public Layer {
 public:
  void build_forward(ProgramBuilder& builder, std::size_t node) override;
  void build_backward(ProgramBuilder& builder, std::size_t node) override;
};

}  // namespace convoy::cpu
