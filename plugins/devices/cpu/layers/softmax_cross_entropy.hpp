#pragma once

#include "plugins/devices/cpu/layers/layer.hpp"

namespace convoy::cpu {

// Mean over the batch of the cross-entropy of softmax and label, and how many labels are among the
// first one and five. A label counts if fewer than k classes score strictly higher.
class SoftmaxCrossEntropy : public Layer {
 public:
  void build_forward(ProgramBuilder& builder, std::size_t node) override;
  void build_backward(ProgramBuilder& builder, std::size_t node) override;
};

}  // namespace convoy::cpu
