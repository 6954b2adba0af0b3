#pragma once

#include "plugins/devices/cuda/kernels/types.hpp"

namespace convoy::cuda {

// Learned cells and values of transformers. Variables and their gradients are f32. Sums over images
// go through them in order.

// Images of `cells` rows of channels, and images with one more row: the token in front.
struct TokenShape {
  Type type;
  std::uint64_t images, cells;
  std::uint32_t channels;
};
void put_token(Stream stream, const TokenShape& shape, void* write, const void* read,
               const float* token);
// write <- gradient without the token's rows; with `adds`, +=.
void drop_token(Stream stream, const TokenShape& shape, void* write, const void* gradient,
                bool adds);

// write <- read + positions, the same for every image.
void add_positions(Stream stream, Type type, void* write, const void* read, const float* positions,
                   std::uint64_t images, std::uint64_t image_elements);
// write[i] <- the sum over images of element i of their gradients, for the first `count` elements.
void sum_images(Stream stream, Type type, float* write, const void* gradient, std::uint64_t images,
                std::uint64_t image_elements, std::uint64_t count);

// Every cell becomes row_factor x column_factor cells.
struct UpsampleShape {
  Type type;
  std::uint64_t images;
  std::uint32_t channels, in_height, in_width, row_factor, column_factor;
  bool interpolated;
};
void upsample(Stream stream, const UpsampleShape& shape, void* write, const void* read);
void upsample_backward(Stream stream, const UpsampleShape& shape, void* write, const void* gradient,
                       bool adds);

}  // namespace convoy::cuda
