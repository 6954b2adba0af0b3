#pragma once

#include "plugins/devices/cuda/kernels/types.hpp"

namespace convoy::cuda {

// Element-wise functions of activations, and products of two activations. Arithmetic is f32. write
// may be one of the other operands. With `adds`, += replaces <-.

enum class Curve : std::uint32_t { kSigmoid, kTanh, kSilu, kGelu };

void apply_curve(Stream stream, Type type, Curve curve, void* write, const void* read,
                 std::uint64_t count);
// write <- gradient * derivative at read
void curve_backward(Stream stream, Type type, Curve curve, void* write, const void* gradient,
                    const void* read, bool adds, std::uint64_t count);
// write <- a * b
void multiply(Stream stream, Type type, void* write, const void* a, const void* b, bool adds,
              std::uint64_t count);

// Drops whole images, with the same mask as CPU devices, or scales them by 1 / keep.
struct ImageDropout {
  std::uint64_t key;  // derived from seed, replica and layer
  std::uint64_t step;
  const std::uint64_t* step_at;  // device memory with the step; null = `step` is used
  std::uint32_t threshold;       // keeps an image whose 32 random bits are below it
  float factor;
  std::uint64_t image_elements;
};
void drop_images(Stream stream, Type type, void* write, const void* read, const ImageDropout& what,
                 std::uint64_t count);

}  // namespace convoy::cuda
