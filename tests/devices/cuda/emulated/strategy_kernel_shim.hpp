#pragma once

// What CUDA source of a strategy's kernel sees where GPUs are emulated: it is compiled by the
// host's compiler into a library, whose threads the emulated device runs one after the other. Not
// there: functions of warps, dynamic shared memory, atomic operations but those below.
#include <math.h>
#include <stdint.h>

namespace convoy_emulated {

struct Index {
  unsigned x = 0, y = 0, z = 0;
};
struct Size {
  unsigned x = 1, y = 1, z = 1;
};

// Set by the device before each thread goes on.
struct Thread {
  const Index* thread;
  const Index* block;
  const Size* block_size;
  const Size* grid_size;
  void (*meet)();
};

}  // namespace convoy_emulated

extern "C" {
__attribute__((visibility("default"))) convoy_emulated::Thread convoy_emulated_thread;
}

#define __global__ __attribute__((visibility("default")))
#define __device__
#define __host__
#define __shared__ static
#define __forceinline__ inline
#define threadIdx (*convoy_emulated_thread.thread)
#define blockIdx (*convoy_emulated_thread.block)
#define blockDim (*convoy_emulated_thread.block_size)
#define gridDim (*convoy_emulated_thread.grid_size)
#define __syncthreads() convoy_emulated_thread.meet()

template <typename T>
T atomicAdd(T* sum, T value) {
  const T before = *sum;
  *sum += value;
  return before;
}
template <typename T>
T min(T a, T b) {
  return b < a ? b : a;
}
template <typename T>
T max(T a, T b) {
  return a < b ? b : a;
}
