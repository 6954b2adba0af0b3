#pragma once

#include <cstdint>
#include <vector>

#include "core/simulate/layers/layer_shape.hpp"

namespace convoy::simulate {

struct LayerSample;

// The sides of the square tiles of outputs in which a device computes 3x3 and 5x5 convolutions of
// stride 1 (Winograd). If the side of an image is no multiple of the tile's side, the device
// computes more than it needs. It also transforms the weights, or their gradients back, which takes
// as long as a few tiles, however few there are. A side of 1 means that the device uses no tiles.
struct TileSides {
  std::uint32_t of_3x3 = 1;
  std::uint32_t of_5x5 = 1;

  // The side of this layer's tiles; 1 if it is not computed in tiles.
  std::uint32_t of(const LayerShape& shape) const;
};

// How many times more outputs the tiles of a layer have than the layer, with the tiles that
// transforming the weights costs. It is 1 for layers that are not computed in tiles.
double tile_excess(const LayerShape& shape, convoy_pass pass, const TileSides& sides);

// Finds the sides that explain the measured times best. It compares convolutions with the same
// filters and channels on images of different sizes: with the right side, their times are
// proportional to the outputs of their tiles. The usual sides are 4 for 3x3 and 2 for 5x5, from
// patches of 6x6. Sides of 1, or those of patches of 4x4 or 8x8, are chosen only if they are
// clearly better. Without such samples the sides are 1. `flops` is the device's peak rate per
// second.
TileSides find_tile_sides(const std::vector<LayerSample>& samples, double flops);

}  // namespace convoy::simulate
