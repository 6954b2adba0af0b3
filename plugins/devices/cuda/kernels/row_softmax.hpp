#pragma once

#include "plugins/devices/cuda/kernels/types.hpp"

namespace convoy::cuda {

// Rows of attention weights, each with one element per cell. Scores and their gradients are f32
// before rounding, and so is all arithmetic.

// weights <- softmax(scale * scores), row by row.
void row_softmax(Stream stream, Type type, void* weights, const float* scores, float scale,
                 std::uint64_t rows, std::uint32_t columns);
// write <- the gradient of the scores from that of the weights, which are softmax(scale * scores).
void row_softmax_backward(Stream stream, Type type, void* write, const float* gradient,
                          const void* weights, float scale, std::uint64_t rows,
                          std::uint32_t columns);

}  // namespace convoy::cuda
