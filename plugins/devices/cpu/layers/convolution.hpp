#pragma once

#include <memory>

#include "plugins/devices/cpu/convolutions/depthwise.hpp"
#include "plugins/devices/cpu/convolutions/winograd.hpp"
#include "plugins/devices/cpu/layers/convolution_algorithm.hpp"
#include "plugins/devices/cpu/layers/convolution_shapes.hpp"
#include "plugins/devices/cpu/layers/layer.hpp"
#include "plugins/devices/cpu/onednn.hpp"

namespace convoy::cpu {

// A convolution, with bias and the relu behind it if there are any. choose_convolution_algorithms()
// selects the implementation of each pass. Layouts are always the library's, except for the weights
// of depthwise convolutions.
class Convolution : public Layer {
 public:
  void build_forward(ProgramBuilder& builder, std::size_t node) override;
  void build_backward(ProgramBuilder& builder, std::size_t node) override;

 private:
  void build_backward_weights(ProgramBuilder& builder, std::size_t node);
  void library_forward(ProgramBuilder& builder, std::size_t node);
  void library_backward_weights(ProgramBuilder& builder, std::size_t node);
  void clear_unseen_taps(ProgramBuilder& builder, std::size_t node, const dnnl::memory& gradient);
  void library_backward_data(ProgramBuilder& builder, std::size_t node);

  // Returns the channels per block if the Winograd kernels support the layouts, otherwise 0.
  std::size_t winograd_block() const;
  // Whether they do; fills winograd_ and winograd_weights_.
  bool stored_for_winograd(const ProgramBuilder& builder, std::size_t node);
  void winograd_forward(ProgramBuilder& builder, std::size_t node);
  void winograd_backward_weights(ProgramBuilder& builder, std::size_t node);
  void winograd_backward_data(ProgramBuilder& builder, std::size_t node);

  // The same for depthwise convolutions; fills depthwise_ and depthwise_weights_.
  bool stored_for_depthwise(const ProgramBuilder& builder, std::size_t node);
  void depthwise_forward(ProgramBuilder& builder, std::size_t node);
  void depthwise_backward_weights(ProgramBuilder& builder, std::size_t node);
  void depthwise_backward_data(ProgramBuilder& builder, std::size_t node);

  ConvolutionAlgorithms algorithms_;
  std::unique_ptr<ConvolutionShapes> shapes_;
  dnnl::convolution_forward::primitive_desc forward_;
  WinogradShape winograd_;
  Desc winograd_weights_;
  std::shared_ptr<const DepthwiseConvolution> depthwise_;
  Desc depthwise_weights_;
};

}  // namespace convoy::cpu
