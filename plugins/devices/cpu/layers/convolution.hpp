#pragma once

#include <memory>
#include <oneapi/dnnl/dnnl.hpp>

#include "plugins/devices/cpu/layers/convolution_shapes.hpp"
#include "plugins/devices/cpu/layers/layer.hpp"

namespace convoy::cpu {

// A convolution, with bias and the relu behind it if there are any.
class Convolution : public Layer {
 public:
  void build_forward(ProgramBuilder& builder, std::size_t node) override;
  void build_backward(ProgramBuilder& builder, std::size_t node) override;

 private:
  void build_backward_weights(ProgramBuilder& builder, std::size_t node);
  void build_backward_data(ProgramBuilder& builder, std::size_t node);

  std::unique_ptr<ConvolutionShapes> shapes_;
  dnnl::convolution_forward::primitive_desc forward_;
};

}  // namespace convoy::cpu
