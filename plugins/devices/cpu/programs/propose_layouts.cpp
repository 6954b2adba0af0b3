
#include "plugins/devices/cpu/layers/channel_block.hpp"
#include "plugins/devices/cpu/layers/convolution_algorithm.hpp"
#include "plugins/devices/cpu/layers/convolution_shapes.hpp"
#include "plugins/devices/cpu/layers/depthwise_layout.hpp"
#include "plugins/devices/cpu/layers/fully_connected.hpp"
#include "plugins/devices/cpu/layers/primitive_attributes.hpp"
#include "plugins/devices/cpu/programs/precision.hpp"
#include "plugins/devices/cpu/programs/program.hpp"
#include "plugins/devices/cpu/programs/weight_layout.hpp"

namespace convoy::cpu {
namespace {

using Tag = dnnl::memory::format_tag;

// Uses the layout that the forward pass reads. In bf16, every pass converts the weights, and only
// the gradient has the type of the storage, so the layout is that of the pass that computes the
// gradient.
Desc convolution_weights(const convoy_node& node, const convoy_node& input,
                         const convoy_compilation& what, const dnnl::engine& engine) {
  const bool bf16 = precision_of(what) == Precision::kBf16;
  const ConvolutionShapes shapes(node, input, what.batch, bf16);
  const auto forward =
      shapes.forward(dnnl::prop_kind::forward_training, engine, shared_scratchpad());
  const std::size_t block = is_depthwise(node, input) ? depthwise_block(forward) : 0;
  if (block > 0) return depthwise_weights(node, block);
  if (!bf16) return forward.weights_desc();
  const ConvolutionAlgorithms algorithms = choose_convolution_algorithms(node, input, what);
  if (algorithms.backward_weights == ConvolutionAlgorithm::kWinograd) {
    return winograd_bf16_weights(dims_of(forward.weights_desc()));
  }
  return shapes
      .backward_weights(forward, engine, shapes.any_source(), shapes.any_weights_gradient(),
                        shapes.any_result())
      .diff_weights_desc();
}

Desc fully_connected_weights(const convoy_graph_variable& weights, std::uint32_t batch,
                             bool has_bias, bool bf16, const dnnl::engine& engine) {
  constexpr auto kFloat = dnnl::memory::data_type::f32;
  const auto outputs = static_cast<dnnl::memory::dim>(weights.dimensions[0]);
  const auto inputs = static_cast<dnnl::memory::dim>(weights.dimensions[1]);
  if (keeps_plain_weights(inputs, outputs, bf16)) return plain_desc(weights);
  const auto type = bf16 ? dnnl::memory::data_type::bf16 : kFloat;
  const Desc source({batch, inputs}, type, Tag::ab);
  const Desc result({batch, outputs}, type, Tag::ab);
  const auto forward = describe_fully_connected(dnnl::prop_kind::forward_training, source,
                                                {{outputs, inputs}, type, Tag::any}, result,
                                                has_bias, shared_scratchpad(), engine);
  if (!bf16) return forward.weights_desc();
  using Backward = dnnl::inner_product_backward_weights;
  const Desc gradient({outputs, inputs}, kFloat, Tag::any);
  return describe_gradient<Backward>(engine, shared_scratchpad(), forward, source, gradient, result)
      .diff_weights_desc();
}

}  // namespace

void propose_layouts(const convoy_compilation& what, convoy_layout* out) {
  const convoy_graph& graph = *what.graph;
  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  const bool bf16 = precision_of(what) == Precision::kBf16;
  for (std::uint64_t i = 0; i < graph.variable_count; ++i) {
    out[i] = layout_of(plain_desc(*graph.variables[i]), *graph.variables[i]);
  }
  for (std::uint64_t i = 0; i < graph.node_count; ++i) {
    const convoy_node& node = *graph.nodes[i];
    const std::uint32_t index = node.variables[0];
    if (index == CONVOY_NONE) continue;
    const convoy_graph_variable& weights = *graph.variables[index];
    if (node.layer->kind == CONVOY_LAYER_CONVOLUTION) {
      const convoy_node& input = *graph.nodes[node.layer->inputs[0]];
      out[index] = layout_of(convolution_weights(node, input, what, engine), weights);
    } else if (node.layer->kind == CONVOY_LAYER_FULLY_CONNECTED) {
      const bool has_bias = node.variables[1] != CONVOY_NONE;
      out[index] =
          layout_of(fully_connected_weights(weights, what.batch, has_bias, bf16, engine), weights);
    }
  }
}

}  // namespace convoy::cpu
