#pragma once

#include <compare>
#include <cstdint>

#include "core/graph/graph.hpp"
#include "core/graph/layer_work.hpp"

namespace convoy::simulate {

// What decides how long a layer's passes take on a device, besides the device: kind and sizes, and
// the layers beside it, because devices compute some of them together.
struct LayerShape {
  std::uint32_t kind = 0;      // convoy_layer_kind
  std::uint32_t producer = 0;  // kind of the layer that its first input comes from
  std::uint32_t consumer = 0;  // kind of the only layer that reads it; 0 = several do, or none
  bool ends_sum = false;       // that one is a sum, and this is its last part
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

// Per node of the graph.
std::vector<LayerShape> layer_shapes(const Graph& graph, std::uint32_t batch);

// How unlike two layers are, as far as the part of a device's peak rates goes that they reach: 0
// for the same shape, infinite for layers of different kinds.
double shape_distance(const LayerShape& a, const LayerShape& b);

}  // namespace convoy::simulate
