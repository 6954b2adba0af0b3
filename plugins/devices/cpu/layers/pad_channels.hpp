#pragma once

#include "plugins/devices/cpu/layers/layer.hpp"

namespace convoy::cpu {

// Its input with channels of zeros around it: half of the missing ones before, half (rounded up)
// after.
class PadChannels : public Layer {
 public:
  void build_forward(ProgramBuilder& builder, std::size_t node) override;
  void build_backward(ProgramBuilder& builder, std::size_t node) override;
};

}  // namespace convoy::cpu
