#pragma once

#include "plugins/devices/cuda/kernels/types.hpp"

namespace convoy::cuda {

// Functions of every element of activations by itself, and products of two activations. Arithmetic
// is f32. write may be one of the other operands; where it `adds`, it is += instead of <-.

enum class Curve : std::uint32_t { kSigmoid, kTanh, kSilu, kGelu };

void apply_curve(Stream stream, Type type, Curve curve, void* write, const void* read,
                 std::uint64_t count);
// write <- gradient * derivative at read
void curve_backward(Stream stream, Type type, Curve curve, void* write, const void* gradient,
                    const void* read, bool adds, std::uint64_t count);
// write <- a * b
void multiply(Stream stream, Type type, void* write, const void* a, const void* b, bool adds,
              std::uint64_t count);

// Whole images are dropped, with CPU devices' mask, or scaled by 1 / keep.
struct ImageDropout {
  std::uint64_t key;  // of seed, replica and layer
  std::uint64_t step;
  const std::uint64_t* step_at;  // device memory that has the step; null = it is `step`
  std::uint32_t threshold;       // keeps an image whose 32 random bits are below it
  float factor;
  std::uint64_t image_elements;
};
void drop_images(Stream stream, Type type, void* write, const void* read, const ImageDropout& what,
                 std::uint64_t count);

}  // namespace convoy::cuda
