#pragma once

#include <oneapi/dnnl/dnnl.hpp>

#include "plugins/devices/cpu/layers/layer.hpp"
#include "plugins/devices/cpu/workspace.hpp"

namespace convoy::cpu {

// Maximum or average over windows; padding takes no part in either.
class Pool : public Layer {
 public:
  void build_forward(ProgramBuilder& builder, std::size_t node) override;
  void build_backward(ProgramBuilder& builder, std::size_t node) override;

 private:
  dnnl::pooling_forward::primitive_desc forward_;
  Workspace::Id record_ = 0;  // where the maxima came from
};

}  // namespace convoy::cpu
