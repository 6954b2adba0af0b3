#pragma once

#include "plugins/devices/cpu/layers/layer.hpp"

namespace convoy::cpu {

// Its inputs one after another along channels.
class Concat : public Layer {
 public:
  void build_forward(ProgramBuilder& builder, std::size_t node) override;
  void build_backward(ProgramBuilder& builder, std::size_t node) override;
};

}  // namespace convoy::cpu
