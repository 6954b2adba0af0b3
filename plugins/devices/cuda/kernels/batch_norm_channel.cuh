#pragma once

#include "plugins/devices/cuda/kernels/batch_norm.hpp"
#include "plugins/devices/cuda/kernels/channel_rows.cuh"

// Code that both passes of a batch norm share.
namespace convoy::cuda {

// Sums of two values per channel over a chunk: partial[(chunk * channels + channel) * 2 + which].
template <int kPer>
__device__ inline void reduce_block(double* partial, const float (&a)[kPer], const float (&b)[kPer],
                                    std::uint32_t channel, std::uint32_t channels) {
  __shared__ double sums[2][kThreads];
  const std::uint32_t at = threadIdx.y * blockDim.x + threadIdx.x;
  for (int k = 0; k < kPer; ++k) {
    sums[0][at] = a[k];
    sums[1][at] = b[k];
    __syncthreads();
    if (threadIdx.y == 0 && channel + k < channels) {
      double total[2] = {0.0, 0.0};
      for (unsigned y = 0; y < blockDim.y; ++y) {
        total[0] += sums[0][y * blockDim.x + threadIdx.x];
        total[1] += sums[1][y * blockDim.x + threadIdx.x];
      }
      const std::uint64_t index = static_cast<std::uint64_t>(blockIdx.y) * channels + channel + k;
      partial[2 * index] = total[0];
      partial[2 * index + 1] = total[1];
    }
    __syncthreads();
  }
}

__device__ inline float rectify(float value, Relu relu) {
  if (!relu.active) return value;
  const float low = value < 0.0f ? 0.0f : value;
  return relu.limit > 0.0f && low > relu.limit ? relu.limit : low;
}

__device__ inline bool cuts(float output, Relu relu) {
  return relu.active && (output <= 0.0f || (relu.limit > 0.0f && output >= relu.limit));
}

// The values of a channel that both passes need.
struct Channel {
  float mean, inverse, gamma, beta;
  __device__ float normal(float x) const { return (x - mean) * inverse; }
  __device__ float result(float x) const { return normal(x) * gamma + beta; }
};

template <typename What>
__device__ inline Channel channel_of(const What& what, std::uint32_t channel) {
  return {what.mean[channel], what.inverse[channel],
          what.gamma == nullptr ? 1.0f : what.gamma[channel],
          what.beta == nullptr ? 0.0f : what.beta[channel]};
}

// Rows that a thread processes at once, so that enough reads are in flight.
constexpr int kRowsAtOnce = 2;

}  // namespace convoy::cuda
