#pragma once

#include <cuda_runtime_api.h>

#include <atomic>
#include <cstddef>

namespace convoy::cuda::emulation {

// The GPU that is the calling thread's.
int& current_gpu();

// Remembers an error for cudaGetLastError, and gives it.
cudaError_t refuse(cudaError_t error);
// The calling thread's latest error, which is forgotten.
cudaError_t take_last_error();

// What GPUs of compute capability 9.0 say to a launch: an empty or too large grid or block, more
// dynamic shared memory (bytes) than a kernel gets unasked.
cudaError_t launch_error(dim3 grid, dim3 block, std::size_t shared);
// Whether the launch is started: the calling thread's GPU must be the stream's, too. The runtime
// tells of a refusal through cudaGetLastError alone.
bool takes_launch(dim3 grid, dim3 block, std::size_t shared, const CUstream_st* stream);

// The ranks of a collective are started one after the other, on several GPUs of this process. Where
// another thread takes or frees memory or loads a kernel meanwhile, GPUs may hang: see
// memory_turn(). Takes as long as to let that show.
void start_ranks_of_several_gpus();
// To be called by what allocates or frees memory. Ends the process where it may hang.
void check_memory_call();

// A kernel, which is loaded when a GPU first runs it. That takes memory, and waits for the GPU.
class LoadedKernel {
 public:
  // Before a launch for the calling thread's GPU.
  void use();

 private:
  std::atomic<unsigned> gpus_{0};  // that have it, as bits
};

}  // namespace convoy::cuda::emulation
