#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <utility>

#include "plugins/devices/cuda/gpu/gpu_memory.hpp"
#include "plugins/devices/cuda/status.hpp"

namespace convoy::cuda {

// Zeroed memory of the calling thread's GPU.
class DeviceMemory {
 public:
  DeviceMemory() = default;
  // Waits for the stream that clears it, but not for the whole GPU. Another thread may be recording
  // a graph on it, and CUDA would end that recording.
  explicit DeviceMemory(std::uint64_t bytes) : DeviceMemory() {
    if (bytes == 0) return;
    require(allocate_on_gpu(&memory_, bytes), "allocating memory on the GPU");
    require(cudaMemset(memory_, 0, bytes), "clearing memory");
    require(cudaStreamSynchronize(nullptr), "clearing memory");
  }
  DeviceMemory(DeviceMemory&& other) noexcept : memory_(std::exchange(other.memory_, nullptr)) {}
  DeviceMemory& operator=(DeviceMemory&& other) noexcept {
    std::swap(memory_, other.memory_);
    return *this;
  }
  ~DeviceMemory() { static_cast<void>(free_on_gpu(memory_)); }

  void* get() const { return memory_; }

 private:
  void* memory_ = nullptr;
};

}  // namespace convoy::cuda
