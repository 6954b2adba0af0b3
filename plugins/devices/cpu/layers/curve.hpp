#pragma once

#include "plugins/devices/cpu/layers/layer.hpp"
#include "plugins/devices/cpu/onednn.hpp"

namespace convoy::cpu {

// Sigmoid, tanh, silu and gelu: functions of every element by itself, which the library computes in
// whatever layout the activation has.
class Curve : public Layer {
 public:
  void build_forward(ProgramBuilder& builder, std::size_t node) override;
  void build_backward(ProgramBuilder& builder, std::size_t node) override;

 private:
  dnnl::eltwise_forward::primitive_desc forward_;
};

}  // namespace convoy::cpu
