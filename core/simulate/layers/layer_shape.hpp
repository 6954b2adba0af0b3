#pragma once

#include <compare>
#include <cstdint>

#include "core/graph/graph.hpp"
#include "core/graph/layer_work.hpp"

namespace convoy::simulate {

// What determines how long the passes of a layer take on a given device: its kind, its sizes and
// the kinds of its neighbours, because devices compute some layers together.
struct LayerShape {
  std::uint32_t kind = 0;      // convoy_layer_kind
  std::uint32_t producer = 0;  // the kind of the layer that makes its first input
  std::uint32_t consumer = 0;  // the kind of the only layer that reads it; 0 if several or none do
  bool ends_sum = false;       // the consumer is a sum, and this layer is its last term
  std::uint32_t batch = 1;
  std::uint32_t inputs = 1;
  std::uint32_t kernel_height = 1;
  std::uint32_t kernel_width = 1;
  std::uint32_t stride = 1;
  std::uint32_t groups = 1;
  std::uint32_t input_channels = 0;
  std::uint32_t input_pixels = 0;
  std::uint32_t output_channels = 0;
  std::uint32_t output_pixels = 0;

  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 takes the generated 0 for a pointer.
  auto operator<=>(const LayerShape&) const = default;
};

// One shape per node of the graph.
std::vector<LayerShape> layer_shapes(const graph::Graph& graph, std::uint32_t batch);

// How differently two layers use a device's peak rates: 0 for the same shape, infinite for layers
// of different kinds.
double shape_distance(const LayerShape& a, const LayerShape& b);

}  // namespace convoy::simulate
