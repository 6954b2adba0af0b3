#pragma once

#include <cstddef>

#include "plugins/devices/cpu/convolutions/convolution_shape.hpp"
#include "plugins/devices/cpu/convolutions/tap_kernels.hpp"

namespace convoy::cpu {

// The gradient of a convolution's weights (and bias) as a sum of matrix products, one for each tap
// of the filter: input channels x output channels, over the pixels of all images. Activations are
// stored in blocks of channels (nChw8c or nChw16c), whose padding is zero, weights as OIhw8i8o or
// OIhw16i16o.
//
// Tasks are tiles of channels. If there are few tiles, the batch is also divided into parts. The
// division depends only on the shape, and the parts are added in order, so the result does not
// depend on the number of threads.
class WeightsGradient {
 public:
  explicit WeightsGradient(const ConvolutionShape& shape);

  // Floats of scratch memory that run() needs.
  std::size_t scratch_floats() const;

  // The arguments of run(). It reads the activation and the gradient of the result, and writes the
  // gradients. bias may be null, else it holds bias_count floats, the number of output channels
  // without padding.
  struct Arguments {
    const float* source;
    const float* result;
    float* weights;
    float* bias;
    std::size_t bias_count;
    float* scratch;
  };

  // Computes on the team of the calling thread.
  void run(const Arguments& arguments) const;

 private:
  // Half-open ranges of blocks of channels and of images.
  struct Tile {
    std::size_t first_in, last_in, first_out, last_out, first_image, last_image;
  };
  // Rows of some images, few enough for the caches.
  struct Chunk {
    std::size_t first_image, images, first_row, rows;
    bool fresh;
  };

  std::size_t tiles() const;
  Tile tile(std::size_t index, std::size_t part) const;
  void run_tile(const Tile& tile, const float* source, const float* result, float* weights,
                float* bias) const;
  void run_chunk(const Tile& tile, const Chunk& chunk, const float* source, const float* result,
                 float* weights) const;
  void run_taps(const Chunk& chunk, const float* source, TapGradient gradient) const;
  void sum_results(const Tile& tile, const Chunk& chunk, const float* result, float* bias) const;
  TapBox box(const Chunk& chunk) const;

  ConvolutionShape shape_;
  const TapKernels* kernels_;
  std::size_t in_blocks_, out_blocks_, taps_;
  std::size_t tile_in_, tile_out_, parts_, chunk_images_, chunk_rows_;
  std::size_t weights_floats_;
};

}  // namespace convoy::cpu
