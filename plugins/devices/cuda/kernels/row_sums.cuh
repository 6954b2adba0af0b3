#pragma once

#include "plugins/devices/cuda/kernels/vector_access.cuh"

// Code shared by kernels that use one warp per row.
namespace convoy::cuda {

constexpr unsigned kRowLanes = 32;
constexpr unsigned kRowsPerBlock = kThreads / kRowLanes;

inline unsigned row_blocks(std::uint64_t rows) {
  return static_cast<unsigned>((rows + kRowsPerBlock - 1) / kRowsPerBlock);
}
inline dim3 row_threads() {
  return dim3(kRowLanes, kRowsPerBlock);
}

struct Plus {
  __device__ float operator()(float a, float b) const { return a + b; }
};
// NaN wins, so that a diverged run is noticed.
struct Larger {
  __device__ float operator()(float a, float b) const { return b > a || b != b ? b : a; }
};

// Combines the values of the threads of a row, in a fixed order. All threads of the block must call
// it.
template <typename Combine>
__device__ inline float over_row(float value, Combine combine) {
  __shared__ float values[kRowsPerBlock][kRowLanes];
  values[threadIdx.y][threadIdx.x] = value;
  __syncthreads();
  for (unsigned half = kRowLanes / 2; half > 0; half /= 2) {
    if (threadIdx.x < half)
      values[threadIdx.y][threadIdx.x] =
          combine(values[threadIdx.y][threadIdx.x], values[threadIdx.y][threadIdx.x + half]);
    __syncthreads();
  }
  const float result = values[threadIdx.y][0];
  __syncthreads();
  return result;
}

// Threads of rows behind the last one compute the last one again and write nothing.
__device__ inline std::uint64_t row_of_thread(std::uint64_t rows, bool& own) {
  const std::uint64_t row = static_cast<std::uint64_t>(blockIdx.x) * kRowsPerBlock + threadIdx.y;
  own = row < rows;
  return own ? row : rows - 1;
}

}  // namespace convoy::cuda
