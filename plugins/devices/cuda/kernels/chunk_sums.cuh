#pragma once

#include "plugins/devices/cuda/kernels/channel_rows.cuh"

// Sums per channel over all rows: first within every chunk, then over the chunks.
namespace convoy::cuda {

// partial[chunk][channel] <- the sum over the threads of the chunk's block.
template <int kPer>
__device__ inline void add_up_chunk(double* partial, const float (&own)[kPer],
                                    std::uint32_t channel, std::uint32_t channels) {
  __shared__ double sums[kThreads];
  for (int k = 0; k < kPer; ++k) {
    sums[threadIdx.y * blockDim.x + threadIdx.x] = own[k];
    __syncthreads();
    if (threadIdx.y == 0 && channel < channels) {
      double total = 0.0;
      for (unsigned y = 0; y < blockDim.y; ++y) total += sums[y * blockDim.x + threadIdx.x];
      partial[static_cast<std::uint64_t>(blockIdx.y) * channels + channel + k] = total;
    }
    __syncthreads();
  }
}

// write[channel] <- the sum of all its chunks. Use the grid of finish_blocks and finish_threads.
__device__ inline void add_up_chunks(float* write, const double* partial, std::uint32_t channels,
                                     std::uint32_t chunks) {
  const std::uint32_t channel = blockIdx.x * kFinishChannels + threadIdx.x;
  double total[1];
  over_chunks<1>(total, partial, chunks, channel, channels);
  if (threadIdx.y == 0 && channel < channels) write[channel] = static_cast<float>(total[0]);
}

}  // namespace convoy::cuda
