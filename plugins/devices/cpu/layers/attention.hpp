#pragma once

#include "plugins/devices/cpu/layers/layer.hpp"
#include "plugins/devices/cpu/onednn.hpp"
#include "plugins/devices/cpu/programs/workspace.hpp"

namespace convoy::cpu {

// Softmax attention from the library's matrix products and softmax. With channels last, queries,
// keys and values of a head are matrices with gaps between their rows: nothing is copied.
class Attention : public Layer {
 public:
  void build_forward(ProgramBuilder& builder, std::size_t node) override;
  void build_backward(ProgramBuilder& builder, std::size_t node) override;

 private:
  dnnl::memory differentiate_softmax(ProgramBuilder& builder, std::size_t node,
                                     const dnnl::memory& gradient, const dnnl::memory& values);

  dnnl::softmax_forward::primitive_desc softmax_;
  Workspace::Id weights_ = 0;  // of all heads, from the forward pass
};

}  // namespace convoy::cpu
