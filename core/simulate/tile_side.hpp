#pragma once

#include <cstdint>
#include <vector>

#include "core/simulate/layer_shape.hpp"

namespace convoy::simulate {

struct LayerSample;

// Devices compute 3x3 convolutions of stride 1 in square tiles of outputs: of an image whose side
// is no multiple of the tile's, they compute more than they need. And they bring weights into the
// form that tiles are multiplied with, or their gradients back, which takes as long as some tiles
// do, however few there are.

// How many times the outputs of such a layer the outputs of all tiles are, with the weights' worth
// of them; 1 for other layers, and with tiles of 1.
double tile_excess(const LayerShape& shape, convoy_pass pass, std::uint32_t tile_side);

// The side with which samples of such convolutions between the same numbers of channels, but of
// images of different sizes, take times most in proportion to what is computed: 4, as usual, unless
// 1, 2 or 6 is clearly better; 1 when there are none. flops: the device's peak rate per second.
std::uint32_t find_tile_side(const std::vector<LayerSample>& samples, double flops);

}  // namespace convoy::simulate
