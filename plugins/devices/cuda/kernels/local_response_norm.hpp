#pragma once

#include "plugins/devices/cuda/kernels/types.hpp"

namespace convoy::cuda {

// y = x / (offset + alpha * sum of squares over 2 radius + 1 neighbouring channels) ^ beta, NHWC.
struct ResponseNorm {
  Type type;
  std::uint64_t rows;
  std::uint32_t channels;
  std::uint32_t radius;
  float alpha, beta, offset;
};

void response_norm(Stream stream, const ResponseNorm& shape, void* write, const void* read);
// scratch: one float per element.
void response_norm_backward(Stream stream, const ResponseNorm& shape, void* write, const void* read,
                            const void* gradient, float* scratch, bool adds);

}  // namespace convoy::cuda
