#pragma once

#include "plugins/devices/cpu/layers/layer.hpp"
#include "plugins/devices/cpu/programs/workspace.hpp"

namespace convoy::cpu {

// Every cell normalised over its channels, with own kernels for activations in blocks of channels
// and with channels last alike: the library's want channels last, also in f32.
class LayerNorm : public Layer {
 public:
  void build_forward(ProgramBuilder& builder, std::size_t node) override;
  void build_backward(ProgramBuilder& builder, std::size_t node) override;

 private:
  Workspace::Id statistics_ = 0;  // means of all cells, then 1 / deviations
};

}  // namespace convoy::cpu
