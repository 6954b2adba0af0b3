#pragma once

#include <cstdint>
#include <vector>

#include "core/simulate/layers/layer_shape.hpp"

namespace convoy::simulate {

struct LayerSample;

// Devices compute 3x3 and 5x5 convolutions of stride 1 in square tiles of outputs (Winograd): of an
// image whose side is no multiple of the tile's, they compute more than they need. And they bring
// weights into the form that tiles are multiplied with, or their gradients back, which takes as
// long as some tiles do, however few there are. A side of 1: they do not.
struct TileSides {
  std::uint32_t of_3x3 = 1;
  std::uint32_t of_5x5 = 1;

  // Of this layer's tiles; 1 for layers that are computed in no tiles.
  std::uint32_t of(const LayerShape& shape) const;
};

// How many times the outputs of such a layer the outputs of all tiles are, with the weights' worth
// of them; 1 for other layers, and with tiles of 1.
double tile_excess(const LayerShape& shape, convoy_pass pass, const TileSides& sides);

// The sides with which samples of convolutions by the same filters between the same numbers of
// channels, but of images of different sizes, take times most in proportion to what is computed: 4
// for 3x3 and 2 for 5x5, as usual, from patches of 6x6, unless 1 or those of patches of 4x4 or 8x8
// are clearly better; 1 when there are none. flops: the device's peak rate per second.
TileSides find_tile_sides(const std::vector<LayerSample>& samples, double flops);

}  // namespace convoy::simulate
