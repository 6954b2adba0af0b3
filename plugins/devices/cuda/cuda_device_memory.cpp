#include <algorithm>
#include <stdexcept>

#include "plugins/devices/cuda/cuda_device.hpp"
#include "plugins/devices/cuda/gpu/gpu_description.hpp"
#include "plugins/devices/cuda/gpu/gpu_memory.hpp"
#include "plugins/devices/cuda/programs/batch_fit.hpp"
#include "plugins/devices/cuda/status.hpp"

// Memory of a GPU and pinned memory of its host, and copies that the host waits for.

namespace convoy::cuda {

void* CudaDevice::allocate(std::uint64_t bytes) {
  use_gpu();
  void* memory = nullptr;
  const std::uint64_t size = std::max<std::uint64_t>(bytes, 16);
  const cudaError_t status = allocate_on_gpu(&memory, size);
  if (status == cudaErrorMemoryAllocation) {
    static_cast<void>(cudaGetLastError());
    throw std::runtime_error(plan_problem(size, free_gpu_memory(), held_bytes()));
  }
  require(status, "allocating memory on the GPU");
  {
    const std::lock_guard lock(mutex_);
    device_memory_[memory] = size;
  }
  const auto pause = between_recordings();
  cudaStream_t stream = streams_.stream(CONVOY_LANE_COPY_IN);
  require(cudaMemsetAsync(memory, 0, size, stream), "clearing memory");
  require(cudaStreamSynchronize(stream), "clearing memory");
  return memory;
}

void* CudaDevice::allocate_host(std::uint64_t bytes) {
  use_gpu();
  void* memory = nullptr;
  const std::uint64_t size = std::max<std::uint64_t>(bytes, 16);
  require_host_memory(allocate_pinned(&memory, size), size);
  std::fill_n(static_cast<char*>(memory), size, '\0');
  const std::lock_guard lock(mutex_);
  host_memory_.insert(memory);
  return memory;
}

void CudaDevice::deallocate(void* memory) {
  static_cast<void>(cudaSetDevice(settings_.gpu));
  const std::lock_guard lock(mutex_);
  if (host_memory_.erase(memory) > 0)
    static_cast<void>(free_pinned(memory));
  else if (device_memory_.erase(memory) > 0)
    static_cast<void>(free_on_gpu(memory));
}

std::uint64_t CudaDevice::held_bytes() {
  const std::lock_guard lock(mutex_);
  std::uint64_t sum = 0;
  for (const auto& [memory, bytes] : device_memory_) sum += bytes;
  return sum;
}

// Uses a stream of the device. A copy on the default stream may still be running when the call
// returns, and the device's streams do not wait for that stream.
void CudaDevice::write(void* to, const void* from_host, std::uint64_t bytes) {
  const auto pause = between_recordings();
  use_gpu();
  cudaStream_t stream = streams_.stream(CONVOY_LANE_COPY_IN);
  require(cudaMemcpyAsync(to, from_host, bytes, cudaMemcpyDefault, stream), "writing memory");
  require(cudaStreamSynchronize(stream), "writing memory");
}

void CudaDevice::read(void* to_host, const void* from, std::uint64_t bytes) {
  const auto pause = between_recordings();
  use_gpu();
  cudaStream_t stream = streams_.stream(CONVOY_LANE_COPY_OUT);
  require(cudaMemcpyAsync(to_host, from, bytes, cudaMemcpyDefault, stream), "reading memory");
  require(cudaStreamSynchronize(stream), "reading memory");
}

}  // namespace convoy::cuda
