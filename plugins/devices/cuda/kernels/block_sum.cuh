#pragma once

#include "plugins/devices/cuda/kernels/vector_access.cuh"

namespace convoy::cuda {

// Returns, to all threads, the sum over the kThreads threads of a block in a fixed order. All must
// call it.
__device__ inline double block_sum(double value) {
  __shared__ double sums[kThreads];
  sums[threadIdx.x] = value;
  __syncthreads();
  for (unsigned half = kThreads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
    __syncthreads();
  }
  const double result = sums[0];
  __syncthreads();
  return result;
}

// The sum of the partial results of blocks in device memory.
__device__ inline double partial_block_sum(const double* partial, std::uint32_t count) {
  double sum = 0.0;
  for (std::uint32_t i = threadIdx.x; i < count; i += blockDim.x) sum += partial[i];
  return block_sum(sum);
}

}  // namespace convoy::cuda
