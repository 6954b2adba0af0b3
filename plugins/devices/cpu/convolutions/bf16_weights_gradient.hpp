#pragma once

#include <cstddef>
#include <vector>

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
  // with tile registers for every shape, with vectors (Zen 4) for filters of 1x1, for strides, and
  // for few pixels and many weights.
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
  // A plane of the source, packed from its first or its second pixel on: pairs of pixels cannot be
  // parted again, so taps at odd distances need other pairs.
  struct Copy {
    std::size_t plane, shift;
    bool operator==(const Copy&) const = default;
  };
  // Where a tap's pixels begin: elements behind the start of a copy.
  struct TapPlace {
    std::size_t copy, elements;
  };
  // What a tile multiplies at a time.
  struct Chunk {
    std::size_t steps;
    bool fresh, last;  // the tile's first and last
  };
  // Memory of one thread: a chunk's pixels, packed, and where those to be packed next are: a list
  // of the result's, then one for each copy of the source.
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
  void add_parts(const float* parts, float* total, std::size_t count) const;

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
