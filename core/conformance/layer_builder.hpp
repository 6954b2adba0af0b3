#pragma once

#include <convoy/abi.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "core/graph/assembler.hpp"

namespace convoy::conformance {

// A layer as a model would describe it. It owns its inputs.
struct LayerCase {
  explicit LayerCase(uint32_t kind, std::vector<uint32_t> from) : inputs(std::move(from)) {
    layer.struct_size = sizeof(layer);
    layer.kind = kind;
  }
  const convoy_layer& c_layer() {
    layer.inputs = inputs.data();
    layer.input_count = inputs.size();
    return layer;
  }
  uint32_t add_to(graph::GraphAssembler& assembler) { return assembler.add(c_layer()); }

  std::vector<uint32_t> inputs;
  convoy_layer layer{};
};

inline LayerCase window_layer(uint32_t kind, uint32_t from, uint32_t kernel, uint32_t stride,
                              uint32_t padding) {
  LayerCase result(kind, {from});
  result.layer.kernel_height = result.layer.kernel_width = kernel;
  result.layer.stride_height = result.layer.stride_width = stride;
  result.layer.padding = padding;
  return result;
}

inline LayerCase convolution(uint32_t from, uint32_t channels, uint32_t kernel, uint32_t stride = 1,
                             uint32_t padding = CONVOY_PADDING_SAME) {
  LayerCase result = window_layer(CONVOY_LAYER_CONVOLUTION, from, kernel, stride, padding);
  result.layer.channels = channels;
  result.layer.flags = CONVOY_LAYER_HAS_BIAS;
  return result;
}

inline LayerCase fully_connected(uint32_t from, uint32_t channels) {
  LayerCase result(CONVOY_LAYER_FULLY_CONNECTED, {from});
  result.layer.channels = channels;
  result.layer.flags = CONVOY_LAYER_HAS_BIAS;
  return result;
}

inline LayerCase batch_norm(uint32_t from) {
  LayerCase result(CONVOY_LAYER_BATCH_NORM, {from});
  result.layer.flags = CONVOY_LAYER_HAS_SCALE;
  result.layer.epsilon = 1e-5;
  result.layer.decay = 0.9;
  return result;
}

inline LayerCase relu(uint32_t from) {
  return LayerCase(CONVOY_LAYER_RELU, {from});
}

// Adds a layer that has only inputs, such as relu, sums, products and functions of single elements.
inline uint32_t add_plain(graph::GraphAssembler& assembler, uint32_t kind,
                          std::vector<uint32_t> from) {
  return LayerCase(kind, std::move(from)).add_to(assembler);
}

inline LayerCase layer_norm(uint32_t from, bool scaled = true) {
  LayerCase result(CONVOY_LAYER_LAYER_NORM, {from});
  if (scaled) result.layer.flags = CONVOY_LAYER_HAS_SCALE;
  result.layer.epsilon = 1e-6;
  return result;
}

inline LayerCase loss(uint32_t from) {
  return LayerCase(CONVOY_LAYER_SOFTMAX_CROSS_ENTROPY, {from});
}

}  // namespace convoy::conformance
