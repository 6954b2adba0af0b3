#pragma once

#include <convoy/abi.h>

#include "plugins/devices/cpu/onednn.hpp"

namespace convoy::cpu {

// A convolution in oneDNN's terms. Weights have a leading dimension of groups when there are
// several. oneDNN chooses descriptions that are not given, except that activations in bf16 have
// their channels last. Gradients of weights are f32.
class ConvolutionShapes {
 public:
  // input: the node that the convolution reads.
  ConvolutionShapes(const convoy_node& node, const convoy_node& input, std::uint32_t batch,
                    bool bf16);

  // kind: forward for training or for inference.
  dnnl::convolution_forward::primitive_desc forward(dnnl::prop_kind kind,
                                                    const dnnl::engine& engine,
                                                    const dnnl::primitive_attr& attributes) const;
  dnnl::convolution_backward_data::primitive_desc backward_data(
      const dnnl::convolution_forward::primitive_desc& hint, const dnnl::engine& engine,
      const Desc& source_gradient, const Desc& gradient) const;
  dnnl::convolution_backward_weights::primitive_desc backward_weights(
      const dnnl::convolution_forward::primitive_desc& hint, const dnnl::engine& engine,
      const Desc& source, const Desc& weights_gradient, const Desc& gradient) const;

  Desc any_source() const { return activation(source_); }
  Desc any_weights() const { return {weights_, type_, Tag::any}; }
  Desc any_weights_gradient() const { return {weights_, Type::f32, Tag::any}; }
  Desc any_result() const { return activation(result_); }
  Desc bias() const { return {bias_, Type::f32, Tag::x}; }
  bool has_bias() const { return has_bias_; }

 private:
  using Type = dnnl::memory::data_type;
  using Tag = dnnl::memory::format_tag;

  Desc activation(const dnnl::memory::dims& dims) const {
    return {dims, type_, type_ == Type::bf16 ? Tag::nhwc : Tag::any};
  }

  dnnl::memory::dims source_, weights_, bias_, result_;
  dnnl::memory::dims strides_;
  dnnl::memory::dims dilation_;  // cells between two taps: 0 = none
  dnnl::memory::dims padding_before_, padding_after_;
  bool has_bias_;
  Type type_;
};

}  // namespace convoy::cpu
