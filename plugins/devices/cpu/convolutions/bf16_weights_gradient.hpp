#pragma once

#include <cstddef>
#include <vector>

#include "plugins/devices/cpu/convolutions/bf16_kernels.hpp"
#include "plugins/devices/cpu/convolutions/pixel_canvas.hpp"

namespace convoy::cpu {

// The gradient of a convolution's weights (and bias) from bf16 activations. For each tap of the
// filter, it is a matrix product, input channels x output channels, over the positions of a canvas
// of pixels, with the processor's bf16 products. Channels are multiples of 16. The gradient is f32
// in oneDNN's OIhw16i16o.
//
// Tasks are tiles of channels. If there are few tiles, the canvas is also divided into parts. The
// division depends only on the shape, and the parts are added in order, so the result does not
// depend on the number of threads.
class Bf16WeightsGradient {
 public:
  // Whether the processor supports this shape. If not, nothing below may be called.
  static bool suits(const ConvolutionShape& shape);
  // Whether this was faster than oneDNN 2.6 in tests/benchmarks/bf16_weights_gradient_benchmark:
  // with tile registers for every shape, with vectors (Zen 4) for filters of 1x1, for strides, and
  // for few pixels and many weights.
  static bool pays(const ConvolutionShape& shape);

  explicit Bf16WeightsGradient(const ConvolutionShape& shape);
  // The same for a source with another memory layout.
  Bf16WeightsGradient(const ConvolutionShape& shape, const SourceSteps& source);

  // Size of the gradient of the weights.
  std::size_t weights_floats() const { return weights_floats_; }

  // Bytes of scratch memory that run() needs with this many threads.
  std::size_t scratch_bytes(std::size_t threads) const;

  // The arguments of run(). It reads the activation and the gradient of the result,
  // [image][row][column][channel], and writes the gradients. bias may be null, else it holds a
  // float per output channel.
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
  // A plane of the source, packed from its first or its second pixel on. Pairs of pixels cannot be
  // split again, so taps at odd distances need other pairs.
  struct Copy {
    std::size_t plane, shift;
    bool operator==(const Copy&) const = default;
  };
  // Where a tap's pixels begin, in elements from the start of a copy.
  struct TapPlace {
    std::size_t copy, elements;
  };
  // The pixels that a tile multiplies at one time.
  struct Chunk {
    std::size_t steps;
    bool fresh, last;  // whether it is the tile's first or last
  };
  // Memory of one thread: the packed pixels of a chunk, and addresses of the pixels to pack next.
  // The addresses are one list for the result, then one for each copy of the source.
  struct Workspace {
    const Bf16** pixels;
    const Bf16* empty;
    Bf16* source;
    Bf16* result;
  };
  // The destination of a tile's sums: the weights themselves, or the memory of a part.
  struct Sums {
    float* weights;
    float* bias;
  };

  Bf16WeightsGradient(const ConvolutionShape& shape, PixelCanvas canvas);
  void find_copies();
  void divide();
  std::size_t tiles() const;
  std::size_t workspace_bytes() const;
  Tile tile(std::size_t index, std::size_t part) const;
  Workspace workspace(std::byte* memory) const;
  Bf16Rows rows() const;
  std::size_t result_block(std::size_t steps) const;
  std::size_t copy_elements() const;
  std::size_t list_pixels() const;
  void run_tasks(const Arguments& arguments, float* parts, std::byte* memory,
                 std::size_t threads) const;
  void run_tile(const Tile& tile, const Arguments& arguments, const Workspace& own,
                const Sums& sums) const;
  std::size_t steps_from(std::size_t first, const Tile& tile) const;
  std::size_t source_steps(const PixelCanvas::Plane& plane, std::size_t steps) const;
  void find_pixels(const Tile& tile, std::size_t first, const Arguments& arguments,
                   const Workspace& own) const;
  void pack(const Tile& tile, std::size_t steps, const Workspace& own) const;
  void multiply(const Tile& tile, const Chunk& chunk, const Workspace& own, float* weights) const;
  void ask_for_line(std::size_t line, const Tile& tile, const Workspace& own,
                    Bf16Product& product) const;
  void multiply_taps(Bf16Product product, const Bf16* source) const;
  void sum_results(const Tile& tile, std::size_t steps, bool fresh, const Workspace& own,
                   float* bias) const;

  ConvolutionShape shape_;
  PixelCanvas canvas_;
  const Bf16Kernels* kernels_;
  std::size_t in_blocks_, out_blocks_, steps_;
  std::size_t tile_in_, tile_out_, parts_, chunk_steps_, plane_steps_;
  std::size_t weights_floats_;
  std::vector<Copy> copies_;
  std::vector<TapPlace> taps_;
};

}  // namespace convoy::cpu
