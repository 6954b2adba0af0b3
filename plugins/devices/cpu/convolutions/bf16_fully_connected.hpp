#pragma once

#include <cstddef>

#include "plugins/devices/cpu/convolutions/bf16_kernels.hpp"
#include "plugins/devices/cpu/kernels/bf16.hpp"

namespace convoy::cpu {

// The products of a fully connected layer, forward and for the gradient of its input, on bf16
// activations and stored f32 weights. Each thread rounds a block of weights to bf16 in its own
// cache and multiplies it there with the processor's bf16 products. With few images, these products
// wait for memory, and a copy of all weights in bf16 would cost more bytes than it saves.
//
// Weights are in blocks, [outputs / width][inputs / 16][16 inputs][width outputs], padded with
// zeros, as the library writes their gradient. One task computes every result, as a sum in a fixed
// order, so results do not depend on the number of threads.
class Bf16FullyConnected {
 public:
  struct Shape {
    std::size_t images, inputs, outputs;
    std::size_t width;  // outputs per block
  };

  // Whether the processor supports this shape. If not, nothing below may be called.
  static bool suits(const Shape& shape);
  // Whether this was measured to be faster than oneDNN 2.6: with tile registers for every shape,
  // with vectors (Zen 4) if the weights do not stay in a cache.
  static bool pays(const Shape& shape);

  explicit Bf16FullyConnected(const Shape& shape);

  // Bytes of scratch memory that either product needs with this many threads.
  std::size_t scratch_bytes(std::size_t threads) const;

  struct Forward {
    const Bf16* source;  // [image][input]
    const float* weights;
    const float* bias;  // of every output, or null
    Bf16* result;       // [image][output]
    bool relu;          // whether results below zero become zero
    float limit;        // upper bound of the relu, 0 = none
    void* scratch;
  };
  struct Backward {
    const Bf16* gradient;  // [image][output]
    const float* weights;
    Bf16* source_gradient;  // [image][input]
    void* scratch;
  };
  // Both compute with at most this many threads of the calling thread's team.
  void forward(const Forward& arguments, std::size_t threads) const;
  void backward(const Backward& arguments, std::size_t threads) const;

 private:
  // Memory of one thread: rounded weights, and sums in tiles of 16 x 16.
  struct Workspace {
    Bf16* weights;
    float* sums;
  };

  std::size_t shared_elements() const;
  std::size_t workspace_bytes() const;
  Workspace workspace(void* scratch) const;
  template <typename Task>
  void run(std::size_t tasks, void* scratch, std::size_t threads, const Task& task) const;

  void copy_source(const Bf16* source, Bf16* to) const;
  void forward_block(std::size_t block, const Forward& arguments, const Bf16* source,
                     const Workspace& own) const;
  void pair_inputs(const float* weights, std::size_t first, std::size_t steps, Bf16* to) const;
  void multiply_inputs(const Bf16* source, std::size_t first, std::size_t steps,
                       const Workspace& own) const;
  void write_results(std::size_t block, const Forward& arguments, const float* sums) const;

  void pack_gradient(const Bf16* gradient, Bf16* to) const;
  void backward_range(std::size_t range, const Backward& arguments, const Bf16* gradient,
                      const Workspace& own) const;
  void multiply_outputs(std::size_t block, std::size_t in_blocks, const Bf16* gradient,
                        const Workspace& own) const;
  void write_gradients(std::size_t range, const Backward& arguments, const float* sums) const;

  Shape shape_;
  const Bf16Kernels* kernels_;
  std::size_t image_blocks_, in_blocks_, out_blocks_;
  std::size_t columns_;    // blocks of 16 outputs in a block of weights
  std::size_t in_steps_;   // steps of 32 inputs
  std::size_t out_steps_;  // steps of 32 outputs, padding included
};

}  // namespace convoy::cpu
