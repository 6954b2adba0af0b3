#pragma once

#include <convoy/abi.h>

#include <cstdint>
#include <span>
#include <string>

#include "core/graph/graph.hpp"

namespace convoy::graph {

// "convolution", "batch norm" ...; "unknown kind 99" otherwise.
std::string layer_kind_name(uint32_t kind);

// Copies a layer that a plug-in passed, which may come from an older or newer SDK. Refuses a
// struct that is too small, unknown kinds, flags, paddings and initialisers, non-zero fields of a
// newer SDK, and values out of range. `where` begins the error text.
convoy_layer read_layer(const convoy_layer& given, const std::string& where);

// What the host infers from a layer and the shapes of its inputs.
struct LayerInference {
  TensorShape output;
  AxisWindow rows;
  AxisWindow columns;
  uint64_t multiply_adds = 0;
};

// Throws Error if the inputs do not fit the layer.
LayerInference infer_layer(const convoy_layer& layer, std::span<const TensorShape> inputs,
                           const std::string& where);

}  // namespace convoy::graph
