#include <stdexcept>

#include "plugins/devices/cpu/layers/convolution_shapes.hpp"
#include "plugins/devices/cpu/layers/depthwise_layout.hpp"
#include "plugins/devices/cpu/layers/fully_connected.hpp"
#include "plugins/devices/cpu/layers/primitive_attributes.hpp"
#include "plugins/devices/cpu/program.hpp"
#include "plugins/devices/cpu/weight_layout.hpp"

namespace convoy::cpu {
namespace {

using Tag = dnnl::memory::format_tag;

dnnl::memory::desc convolution_weights(const convoy_node& node, const convoy_node& input,
                                       std::uint32_t batch, const dnnl::engine& engine) {
  const auto forward = ConvolutionShapes(node, input, batch)
                           .forward(dnnl::prop_kind::forward_training, engine, shared_scratchpad());
  const std::size_t block = is_depthwise(node, input) ? depthwise_block(forward) : 0;
  return block > 0 ? depthwise_weights(node, block) : forward.weights_desc();
}

// Whether the weights of a fully connected layer stay plain, for which oneDNN 2.6 multiplies
// matrices. On AVX-512 it stores others in blocks of channels, and the gradient of the input then
// dereferences null when there are several threads, more than 16 whole blocks of 64 outputs and a
// single block of inputs (up to 16, or 32) and of images: the sum over the outputs is to be shared
// among the threads, only one is started, and its last part goes by a buffer that the first of them
// does not have. The bounds are twice as wide as that; such layers are small, so nothing is lost.
bool keeps_plain_weights(dnnl::memory::dim inputs, dnnl::memory::dim outputs) {
  constexpr dnnl::memory::dim kFewInputs = 64;
  constexpr dnnl::memory::dim kManyOutputs = 512;
  return inputs <= kFewInputs && outputs >= kManyOutputs;
}

dnnl::memory::desc fully_connected_weights(const convoy_graph_variable& weights,
                                           std::uint32_t batch, bool has_bias,
                                           const dnnl::engine& engine) {
  constexpr auto kFloat = dnnl::memory::data_type::f32;
  const auto outputs = static_cast<dnnl::memory::dim>(weights.dimensions[0]);
  const auto inputs = static_cast<dnnl::memory::dim>(weights.dimensions[1]);
  if (keeps_plain_weights(inputs, outputs)) return plain_desc(weights);
  return describe_fully_connected(
             dnnl::prop_kind::forward_training, {{batch, inputs}, kFloat, Tag::ab},
             {{outputs, inputs}, kFloat, Tag::any}, {{batch, outputs}, kFloat, Tag::ab}, has_bias,
             shared_scratchpad(), engine)
      .weights_desc();
}

}  // namespace

void propose_layouts(const convoy_compilation& what, convoy_layout* out) {
  const convoy_graph& graph = *what.graph;
  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
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
      out[index] = layout_of(convolution_weights(node, input, what.batch, engine), weights);
    } else if (node.layer->kind == CONVOY_LAYER_FULLY_CONNECTED) {
      const bool has_bias = node.variables[1] != CONVOY_NONE;
      out[index] =
          layout_of(fully_connected_weights(weights, what.batch, has_bias, engine), weights);
    }
  }
}

}  // namespace convoy::cpu
