#pragma once

#include <cstddef>

#include "plugins/devices/cpu/convolutions/bf16_kernels.hpp"
#include "plugins/devices/cpu/convolutions/pixel_canvas.hpp"

namespace convoy::cpu {

// The gradient of a convolution's weights (and bias) from bf16 activations: for each tap of the
// filter a product of matrices, input channels x output channels, over the positions of a canvas of
// pixels, by the processor's bf16 products. Channels are multiples of 16; the gradient is f32 in
// oneDNN's OIhw16i16o.
//
// Tasks are tiles of channels, times parts of the canvas where tiles are few. The division follows
// from the shape alone and the parts are added in order: the result does not depend on the number
// of threads.
class Bf16WeightsGradient {
 public:
  // Whether this processor computes this shape: nothing below may be called otherwise.
  static bool suits(const ConvolutionShape& shape);
  // Whether that was faster than oneDNN 2.6 in tests/benchmarks/bf16_weights_gradient_benchmark:
  // with tile registers for every shape, with vectors (Zen 4) for those of few pixels and many
  // weights.
  static bool pays(const ConvolutionShape& shape);

  explicit Bf16WeightsGradient(const ConvolutionShape& shape);
  // The same for a source that lies in memory in another way.
  Bf16WeightsGradient(const ConvolutionShape& shape, const SourceSteps& source);

  // Of the gradient of the weights.
  std::size_t weights_floats() const { return weights_floats_; }

  // Bytes of memory that run() needs for its own use with this many threads.
  std::size_t scratch_bytes(std::size_t threads) const;

  // What run() reads (the activation and the gradient of the result, [image][row][column][channel])
  // and writes. bias may be null, otherwise it holds a float per output channel.
  struct Arguments {
    const Bf16* source;
    const Bf16* result;
    float* weights;
    float* bias;
    void* scratch;
  };

  // Computes with at most this many threads of the calling thread's team.
  void run(const Arguments& arguments, std::size_t threads) const;

 private:
  // Half-open ranges of blocks of channels and of steps of pixels.
  struct Tile {
    std::size_t first_in, last_in, first_out, last_out, first_step, last_step;
  };
  // Memory of one thread: a chunk's pixels, packed, and where they are.
  struct Workspace {
    const Bf16** pixels;
    const Bf16* empty;
    Bf16* source;
    Bf16* result;
  };
  // Where a tile's sums go: the weights themselves, or a part's own.
  struct Sums {
    float* weights;
    float* bias;
  };

  Bf16WeightsGradient(const ConvolutionShape& shape, PixelCanvas canvas);
  void divide();
  std::size_t tiles() const;
  std::size_t workspace_bytes() const;
  Tile tile(std::size_t index, std::size_t part) const;
  Workspace workspace(std::byte* memory) const;
  Bf16Rows rows() const;
  std::size_t plane_elements() const;
  void run_tasks(const Arguments& arguments, float* parts, std::byte* memory,
                 std::size_t threads) const;
  void run_tile(const Tile& tile, const Arguments& arguments, const Workspace& own,
                const Sums& sums) const;
  void pack(const Tile& tile, std::size_t first, std::size_t steps, const Arguments& arguments,
            const Workspace& own) const;
  void multiply(const Tile& tile, std::size_t steps, bool fresh, const Workspace& own,
                float* weights) const;
  void multiply_taps(Bf16Product product, const Bf16* source) const;
  void sum_results(const Tile& tile, std::size_t steps, bool fresh, const Workspace& own,
                   float* bias) const;
  void add_parts(const float* parts, float* total, std::size_t count) const;

  ConvolutionShape shape_;
  PixelCanvas canvas_;
  const Bf16Kernels* kernels_;
  std::size_t in_blocks_, out_blocks_, steps_;
  std::size_t tile_in_, tile_out_, parts_, chunk_steps_, plane_steps_;
  std::size_t weights_floats_;
};

}  // namespace convoy::cpu
