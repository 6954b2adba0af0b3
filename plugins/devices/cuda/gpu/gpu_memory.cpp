#include "plugins/devices/cuda/gpu/gpu_memory.hpp"

namespace convoy::cuda {

MemoryTurn memory_turn() {
  static std::recursive_mutex mutex;
  return MemoryTurn(mutex);
}

cudaError_t allocate_on_gpu(void** memory, std::uint64_t bytes) {
  const auto turn = memory_turn();
  return cudaMalloc(memory, bytes);
}

cudaError_t allocate_pinned(void** memory, std::uint64_t bytes) {
  const auto turn = memory_turn();
  return cudaHostAlloc(memory, bytes, cudaHostAllocPortable);
}

cudaError_t free_on_gpu(void* memory) {
  if (memory == nullptr) return cudaSuccess;
  const auto turn = memory_turn();
  return cudaFree(memory);
}

cudaError_t free_pinned(void* memory) {
  if (memory == nullptr) return cudaSuccess;
  const auto turn = memory_turn();
  return cudaFreeHost(memory);
}

}  // namespace convoy::cuda
