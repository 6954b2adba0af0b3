#pragma once

#include "plugins/devices/cuda/kernels/types.hpp"

namespace convoy::cuda {

// Activations of `images` times `cells` rows of channels, of one Type, and a factor per channel.
// There is one row of factors for every image, in the type of activations, or one for all, in f32.
struct FactoredShape {
  Type type;
  std::uint64_t images, cells;
  std::uint32_t channels;
  bool factor_per_image;

  std::uint64_t rows() const { return images * cells; }
};

// write <- read * factor; with `adds`, +=.
void scale_channels(Stream stream, const FactoredShape& shape, void* write, const void* read,
                    const void* factors, bool adds);
// Computes gradients of the factors from that of the products; `adds` only for a factor per image.
// scratch: factor_scratch() bytes.
void factor_gradients(Stream stream, const FactoredShape& shape, void* write, const void* gradient,
                      const void* read, bool adds, void* scratch);
std::uint64_t factor_scratch(const FactoredShape& shape);

}  // namespace convoy::cuda
