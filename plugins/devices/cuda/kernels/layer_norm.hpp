#pragma once

#include "plugins/devices/cuda/kernels/types.hpp"

namespace convoy::cuda {

// Activations whose rows are each normalised over their channels.
struct LayerNormShape {
  Type type;
  std::uint64_t rows;
  std::uint32_t channels;
};

// A null gamma stands for ones. Also writes each row's mean and 1 / deviation.
void layer_norm(Stream stream, const LayerNormShape& shape, void* write, const void* read,
                const float* gamma, const float* beta, float epsilon, float* mean, float* inverse);

// The inputs of the backward pass: values of the forward pass, and the gradient of its result.
struct LayerNormPast {
  const void* read;
  const float* gamma;  // or null
  const float* mean;
  const float* inverse;
  const void* gradient;
};
// write <- the gradient of the input; with `adds`, +=.
void layer_norm_backward(Stream stream, const LayerNormShape& shape, const LayerNormPast& past,
                         void* write, bool adds);
// Gradients of gamma (or null) and beta. scratch: layer_norm_scratch() bytes.
void layer_norm_variables(Stream stream, const LayerNormShape& shape, const LayerNormPast& past,
                          float* gamma_gradient, float* beta_gradient, void* scratch);
std::uint64_t layer_norm_scratch(std::uint32_t channels);

}  // namespace convoy::cuda
