#pragma once

#include "plugins/devices/cpu/layers/layer.hpp"
#include "plugins/devices/cpu/onednn.hpp"
#include "plugins/devices/cpu/programs/workspace.hpp"

namespace convoy::cpu {

// x / (offset + alpha * sum of squares of 2 * radius + 1 neighbouring channels) ^ beta.
class LocalResponseNorm : public Layer {
 public:
  void build_forward(ProgramBuilder& builder, std::size_t node) override;
  void build_backward(ProgramBuilder& builder, std::size_t node) override;

 private:
  dnnl::lrn_forward::primitive_desc forward_;
  Workspace::Id record_ = 0;
};

}  // namespace convoy::cpu
