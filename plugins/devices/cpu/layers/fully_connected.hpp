#pragma once

#include <memory>
#include <optional>

#include "plugins/devices/cpu/convolutions/bf16_fully_connected.hpp"
#include "plugins/devices/cpu/layers/layer.hpp"
#include "plugins/devices/cpu/onednn.hpp"
#include "plugins/devices/cpu/programs/workspace.hpp"

namespace convoy::cpu {

// A fully connected layer, with bias and the relu behind it if there are any. Its input is first
// converted to the plain order, which is small beside the weights. Their layout then has two
// dimensions.
class FullyConnected : public Layer {
 public:
  void build_forward(ProgramBuilder& builder, std::size_t node) override;
  void build_backward(ProgramBuilder& builder, std::size_t node) override;

 private:
  void build_backward_weights(ProgramBuilder& builder, std::size_t node);
  void build_backward_data(ProgramBuilder& builder, std::size_t node);
  // With own_products_.
  void build_own_forward(ProgramBuilder& builder, std::size_t node);
  void build_own_backward_data(ProgramBuilder& builder, std::size_t node);
  // Returns the weights for the forward pass. If they must be converted to bf16, they are kept for
  // the backward pass.
  dnnl::memory forward_weights(ProgramBuilder& builder, std::size_t node);
  dnnl::memory backward_weights(ProgramBuilder& builder, std::size_t node, const Desc& wanted);

  dnnl::inner_product_forward::primitive_desc forward_;
  std::optional<Workspace::Id> converted_;
  std::shared_ptr<const Bf16FullyConnected> own_products_;  // null: the library multiplies
};

// Whether the library may not choose the layout of a layer's weights. Its choice is wrong for few
// inputs and many outputs, and slow for bf16 and few outputs.
bool keeps_plain_weights(dnnl::memory::dim inputs, dnnl::memory::dim outputs, bool bf16);

// Returns the forward description (for training or for inference) with free choice of the weights'
// layout.
dnnl::inner_product_forward::primitive_desc describe_fully_connected(
    dnnl::prop_kind kind, const Desc& input, const Desc& weights, const Desc& output, bool has_bias,
    const dnnl::primitive_attr& attributes, const dnnl::engine& engine);

}  // namespace convoy::cpu
