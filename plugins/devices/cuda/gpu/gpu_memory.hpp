#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <mutex>

namespace convoy::cuda {

// A process-wide recursive lock, held while a thread allocates or frees GPU memory, calls a library
// that does, launches a kernel for the first time, or starts the ranks of a collective on several
// GPUs. A memory call may wait for a kernel on another GPU that addresses the same memory, and
// until then that GPU accepts no launches. A kernel of NCCL ends only after those of all ranks have
// started. So a memory call between the launches of two ranks can wait for the first and keep the
// second out for ever. NCCL's authors say so: https://github.com/NVIDIA/nccl/issues/787. The first
// launch of a kernel loads it, which takes memory and also waits for running work ("Lazy Loading"
// in the CUDA Programming Guide).
using MemoryTurn = std::unique_lock<std::recursive_mutex>;
MemoryTurn memory_turn();

// Allocate and free memory of the calling thread's GPU, and pinned memory that all GPUs address.
// They take the memory turn.
cudaError_t allocate_on_gpu(void** memory, std::uint64_t bytes);
cudaError_t allocate_pinned(void** memory, std::uint64_t bytes);
// Null is allowed.
cudaError_t free_on_gpu(void* memory);
cudaError_t free_pinned(void* memory);

}  // namespace convoy::cuda
