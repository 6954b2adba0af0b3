#pragma once

#include "plugins/devices/cpu/layers/layer.hpp"
#include "plugins/devices/cpu/onednn.hpp"

namespace convoy::cpu {

// More cells for every cell, copied or interpolated, by the library.
class Upsample : public Layer {
 public:
  void build_forward(ProgramBuilder& builder, std::size_t node) override;
  void build_backward(ProgramBuilder& builder, std::size_t node) override;

 private:
  dnnl::resampling_forward::primitive_desc forward_;
};

}  // namespace convoy::cpu
