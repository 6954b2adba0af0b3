#pragma once

#include "plugins/devices/cuda/kernels/activation.hpp"
#include "plugins/devices/cuda/kernels/types.hpp"

namespace convoy::cuda {

// Batch norm over NHWC activations, optionally followed by a sum with another activation and a
// relu. All sums have a fixed order. Statistics and variables are f32.
struct BatchNormShape {
  Type type;
  std::uint64_t rows;  // images times cells
  std::uint32_t channels;
  float epsilon;
};

// Bytes of scratch memory that either pass needs.
std::uint64_t batch_norm_scratch(const BatchNormShape& shape);

struct BatchNormForward {
  const void* read;
  const void* addend;  // null = nothing is added behind the norm
  void* write;
  const float* gamma;  // null = ones
  const float* beta;   // null = zeros
  float* mean;         // per channel
  float* inverse;      // 1 / sqrt(variance + epsilon)
  float* running;      // moving means, then variances; null = unchanged
  float decay;         // decay of the moving statistics
  Relu relu;
};
// Computes the batch's statistics, normalises, and updates the moving statistics.
void batch_norm_forward(Stream stream, const BatchNormShape& shape, const BatchNormForward& what,
                        void* scratch);
// Normalises with the moving statistics, which do not change.
void batch_norm_inference(Stream stream, const BatchNormShape& shape, const BatchNormForward& what);

struct BatchNormBackward {
  const void* read;
  void* gradient;      // of the result; if `joins`, clipped by the relu on return
  const void* other;   // another part of it, to be added first; null = none; only where `joins`
                       // and the relu is active
  const void* output;  // the forward pass's result, where a sum lies before the relu; else null
  void* write;         // gradient of read
  bool adds;           // adds to the contents of `write`
  bool joins;          // the gradient is also that of an addend
  const float* gamma;
  const float* beta;
  const float* mean;
  const float* inverse;
  float* gamma_gradient;  // null = not wanted
  float* beta_gradient;
  Relu relu;
};
void batch_norm_backward(Stream stream, const BatchNormShape& shape, const BatchNormBackward& what,
                         void* scratch);

}  // namespace convoy::cuda
