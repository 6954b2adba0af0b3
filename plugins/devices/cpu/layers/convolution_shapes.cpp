#include "plugins/devices/cpu/layers/convolution_shapes.hpp"

#include <algorithm>

#include "plugins/devices/cpu/layers/primitive_attributes.hpp"

namespace convoy::cpu {
namespace {

constexpr auto kDirect = dnnl::algorithm::convolution_direct;

}  // namespace

ConvolutionShapes::ConvolutionShapes(const convoy_node& node, const convoy_node& input,
                                     std::uint32_t batch, bool bf16)
    : source_{batch, input.channels, input.height, input.width},
      bias_{node.channels},
      result_{batch, node.channels, node.height, node.width},
      strides_{node.layer->stride_height, node.layer->stride_width},
      dilation_{std::max(node.layer->dilation_height, 1u) - 1,
                std::max(node.layer->dilation_width, 1u) - 1},
      padding_before_{node.pad_top, node.pad_left},
      padding_after_{node.pad_bottom, node.pad_right},
      has_bias_(node.variables[1] != CONVOY_NONE),
      type_(bf16 ? Type::bf16 : Type::f32) {
  const convoy_layer& layer = *node.layer;
  const dnnl::memory::dim groups = std::max<std::uint32_t>(layer.groups, 1);
  weights_ = {node.channels / groups, input.channels / groups, layer.kernel_height,
              layer.kernel_width};
  if (groups > 1) weights_.insert(weights_.begin(), groups);
}

dnnl::convolution_forward::primitive_desc ConvolutionShapes::forward(
    dnnl::prop_kind kind, const dnnl::engine& engine,
    const dnnl::primitive_attr& attributes) const {
  using Forward = dnnl::convolution_forward;
  if (!has_bias_) {
    return describe<Forward>(engine, attributes, kind, kDirect, any_source(), any_weights(),
                             any_result(), strides_, dilation_, padding_before_, padding_after_);
  }
  return describe<Forward>(engine, attributes, kind, kDirect, any_source(), any_weights(), bias(),
                           any_result(), strides_, dilation_, padding_before_, padding_after_);
}

dnnl::convolution_backward_data::primitive_desc ConvolutionShapes::backward_data(
    const dnnl::convolution_forward::primitive_desc& hint, const dnnl::engine& engine,
    const Desc& source_gradient, const Desc& gradient) const {
  return describe_gradient<dnnl::convolution_backward_data>(
      engine, shared_scratchpad(), hint, kDirect, source_gradient, any_weights(), gradient,
      strides_, dilation_, padding_before_, padding_after_);
}

dnnl::convolution_backward_weights::primitive_desc ConvolutionShapes::backward_weights(
    const dnnl::convolution_forward::primitive_desc& hint, const dnnl::engine& engine,
    const Desc& source, const Desc& weights_gradient, const Desc& gradient) const {
  using Backward = dnnl::convolution_backward_weights;
  if (!has_bias_) {
    return describe_gradient<Backward>(engine, shared_scratchpad(), hint, kDirect, source,
                                       weights_gradient, gradient, strides_, dilation_,
                                       padding_before_, padding_after_);
  }
  return describe_gradient<Backward>(engine, shared_scratchpad(), hint, kDirect, source,
                                     weights_gradient, bias(), gradient, strides_, dilation_,
                                     padding_before_, padding_after_);
}

}  // namespace convoy::cpu
