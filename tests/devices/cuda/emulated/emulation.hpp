#pragma once

#include <cuda_runtime_api.h>
#include <vector_functions.h>

#include <cmath>
#include <functional>

#include "tests/devices/cuda/emulated/refusals.hpp"

// CUDA's extensions of C++ as far as the kernels use them, so that they run on the host: one thread
// of one block after the other, each as a coroutine where they wait for each other. What a GPU
// refuses, or does in another order, shows here, too: see refusals.hpp, access_checks.cpp and
// run(). NOLINTBEGIN(bugprone-reserved-identifier): CUDA's words.
#undef __global__
#undef __device__
#undef __shared__
#define __global__ static
#define __device__
#define __shared__ static
// NOLINTEND(bugprone-reserved-identifier)

namespace convoy::cuda::emulation {

struct Index {
  unsigned x = 0, y = 0, z = 0;
};
extern Index thread_index, block_index;
extern dim3 block_size, grid_size;

void meet();  // __syncthreads

// meets: whether threads of a block wait for each other. One launch at a time. Blocks come in
// ascending order in one launch and in descending order in the next one, and so do threads between
// two meetings: what depends on an order that a GPU does not keep is computed wrongly.
void run(bool meets, dim3 grid, dim3 block, const std::function<void()>& kernel);

// What a stream is to do: done at once, or recorded while the calling thread makes a graph. Ends
// the process when a graph is made and the stream has not been brought into it.
void queue(CUstream_st* stream, const std::function<void()>& work);

template <bool kMeets, typename Kernel>
void launch(dim3 grid, dim3 block, std::size_t shared, CUstream_st* stream, const Kernel& kernel) {
  static LoadedKernel loaded;
  loaded.use();
  if (takes_launch(grid, block, shared, stream))
    queue(stream, [=] { run(kMeets, grid, block, kernel); });
}

}  // namespace convoy::cuda::emulation

#define threadIdx ::convoy::cuda::emulation::thread_index
#define blockIdx ::convoy::cuda::emulation::block_index
#define blockDim ::convoy::cuda::emulation::block_size
#define gridDim ::convoy::cuda::emulation::grid_size
// NOLINTNEXTLINE(bugprone-reserved-identifier): CUDA's word.
#define __syncthreads ::convoy::cuda::emulation::meet

// Threads run one after the other.
// NOLINTNEXTLINE(readability-identifier-naming): CUDA's name.
inline unsigned atomicAdd(unsigned* sum, unsigned value) {
  const unsigned before = *sum;
  *sum += value;
  return before;
}

using std::isfinite;
