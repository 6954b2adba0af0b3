#pragma once

#include "plugins/devices/cuda/kernels/types.hpp"

namespace convoy::cuda {

// Rows of attention's weights, each as long as there are cells. Arithmetic is f32. Both work in
// place.

// scores <- softmax(scale * scores), row by row.
void row_softmax(Stream stream, Type type, void* scores, float scale, std::uint64_t rows,
                 std::uint32_t columns);
// gradient <- the gradient of the scores from that of the weights, which are softmax(scale *
// scores).
void row_softmax_backward(Stream stream, Type type, void* gradient, const void* weights,
                          float scale, std::uint64_t rows, std::uint32_t columns);

}  // namespace convoy::cuda
