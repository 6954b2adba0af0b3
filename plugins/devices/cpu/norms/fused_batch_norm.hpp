#pragma once

#include <cmath>
#include <cstddef>

namespace convoy::cpu {

// Activations in blocks of channels (nChw8c, nChw16c): channels are padded to whole blocks, and the
// padding holds zeros.
struct BlockedShape {
  std::size_t images, channels, cells;
  std::size_t block;  // 8 or 16

  std::size_t blocks() const { return (channels + block - 1) / block; }
  std::size_t elements() const { return images * blocks() * block * cells; }
};

// The scratch memory of both passes: two doubles per channel (padding included) and image.
inline std::size_t batch_norm_scratch(const BlockedShape& shape) {
  return 2 * shape.images * shape.blocks() * shape.block;
}

// Elements of activations are f32, or bf16 in their storage form.
template <typename Element>
struct NormForward {
  const Element* read;
  const Element* addend;  // of the same layout, added behind the norm; null = none
  Element* write;         // may be read or addend
  const float* gamma;     // null = ones
  const float* beta;      // null = zeros
  float* mean;            // of every channel; an input if the statistics are given, else an output
  float* variance;        // biased
  bool statistics_given;
  double epsilon;
  bool relu;     // behind the norm and the sum
  double limit;  // of the relu, 0 = none; representable in the elements' type
};

template <typename Element>
struct NormBackward {
  const Element* read;
  Element* gradient;      // of the result; changed if an addend or output is given
  const Element* addend;  // added to the gradient first; null = nothing
  const Element* output;  // the forward pass's result, if a relu behind a sum clipped it; else null
  Element* write;         // gradient of read; may be the gradient
  bool accumulate;        // adds to what write holds
  const float* gamma;     // as in the forward pass
  const float* beta;
  const float* mean;
  const float* variance;
  float* gamma_gradient;  // null = not wanted
  float* beta_gradient;
  double epsilon;
  bool relu;  // as in the forward pass; without an output it must be directly behind the norm
  double limit;
};

inline double inverse_deviation(float variance, double epsilon) {
  return 1.0 / std::sqrt(static_cast<double>(variance) + epsilon);
}

using BatchNormForward = NormForward<float>;
using BatchNormBackward = NormBackward<float>;

// Run on the calling thread's team. A group of channels that fits the caches is read twice, once
// for its sums and once for the result, so that main memory is read once. All sums have a fixed
// order, so the team's size does not change the bits. scratch: batch_norm_scratch(shape) doubles.
void batch_norm_forward(const BlockedShape& shape, const BatchNormForward& what, double* scratch);
void batch_norm_backward(const BlockedShape& shape, const BatchNormBackward& what, double* scratch);

}  // namespace convoy::cpu
