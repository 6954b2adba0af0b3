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

// Two doubles per channel (padding included) and image: what both passes need beside their memory.
inline std::size_t batch_norm_scratch(const BlockedShape& shape) {
  return 2 * shape.images * shape.blocks() * shape.block;
}

// Elements of activations are f32, or bf16 in their storage form.
template <typename Element>
struct NormForward {
  const Element* read;
  const Element* addend;  // of the same layout; null = nothing is added behind the norm
  Element* write;         // may be either of them
  const float* gamma;     // null = ones
  const float* beta;      // null = zeros
  float* mean;            // of every channel; computed here unless they are given
  float* variance;        // biased
  bool statistics_given;
  double epsilon;
  bool relu;     // behind the norm and the sum
  double limit;  // of the relu, 0 = none; a number of the elements' type
};

template <typename Element>
struct NormBackward {
  const Element* read;
  Element* gradient;      // of the result; changed where it is joined
  const Element* addend;  // what is first added to the gradient; null = nothing
  const Element* output;  // the forward pass's result, where a relu behind a sum cut it; else null
  Element* write;         // gradient of read; may be the gradient
  bool accumulate;        // adds to what write holds
  const float* gamma;     // as forward
  const float* beta;
  const float* mean;
  const float* variance;
  float* gamma_gradient;  // null = not wanted
  float* beta_gradient;
  double epsilon;
  bool relu;  // as forward; without an output it must be right behind the norm
  double limit;
};

inline double inverse_deviation(float variance, double epsilon) {
  return 1.0 / std::sqrt(static_cast<double>(variance) + epsilon);
}

using BatchNormForward = NormForward<float>;
using BatchNormBackward = NormBackward<float>;

// On the calling thread's team. A group of channels small enough for the caches is read twice, once
// for its sums and once for the result, so that main memory is read once. All sums have an order of
// their own: the team's size changes no bit. scratch: batch_norm_scratch(shape) doubles.
void batch_norm_forward(const BlockedShape& shape, const BatchNormForward& what, double* scratch);
void batch_norm_backward(const BlockedShape& shape, const BatchNormBackward& what, double* scratch);

}  // namespace convoy::cpu
