#pragma once

#include <convoy/abi.h>

#include <oneapi/dnnl/dnnl.hpp>

namespace convoy::cpu {

// A convolution in oneDNN's terms. Weights have a leading dimension of groups when there are
// several. Descriptions that are not given are left to oneDNN.
class ConvolutionShapes {
 public:
  using Desc = dnnl::memory::desc;

  // input: the node that the convolution reads.
  ConvolutionShapes(const convoy_node& node, const convoy_node& input, std::uint32_t batch);

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

  Desc any_source() const { return any(source_); }
  Desc any_weights() const { return any(weights_); }
  Desc any_result() const { return any(result_); }
  Desc bias() const { return {bias_, dnnl::memory::data_type::f32, dnnl::memory::format_tag::x}; }
  bool has_bias() const { return has_bias_; }

 private:
  static Desc any(const dnnl::memory::dims& dims) {
    return {dims, dnnl::memory::data_type::f32, dnnl::memory::format_tag::any};
  }

  dnnl::memory::dims source_, weights_, bias_, result_;
  dnnl::memory::dims strides_, padding_before_, padding_after_;
  bool has_bias_;
};

}  // namespace convoy::cpu
