#include "tests/devices/cuda/emulated/refusals.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <utility>

#include "tests/devices/cuda/emulated/emulated_streams.hpp"

namespace convoy::cuda::emulation {
namespace {

// Technical specifications per compute capability, CUDA C++ Programming Guide.
constexpr dim3 kMostBlocksOfGrid(0x7fffffffu, 65535u, 65535u);
constexpr dim3 kMostThreadsOfBlock(1024u, 1024u, 64u);
constexpr std::uint64_t kMostThreads = 1024;
constexpr std::size_t kMostSharedUnasked = std::size_t{48} << 10;

// Far longer than a call takes, far shorter than a step of the tests.
constexpr std::chrono::milliseconds kBetweenRanks{1};

std::atomic<bool> starts_ranks{false};
thread_local int gpu_of_thread = 0;
thread_local cudaError_t last_error = cudaSuccess;

bool is_within(dim3 size, dim3 most) {
  return size.x > 0 && size.y > 0 && size.z > 0 && size.x <= most.x && size.y <= most.y &&
         size.z <= most.z;
}

}  // namespace

int& current_gpu() {
  return gpu_of_thread;
}

cudaError_t refuse(cudaError_t error) {
  if (error != cudaSuccess) last_error = error;
  return error;
}

cudaError_t take_last_error() {
  return std::exchange(last_error, cudaSuccess);
}

cudaError_t launch_error(dim3 grid, dim3 block, std::size_t shared) {
  const bool fits = is_within(grid, kMostBlocksOfGrid) && is_within(block, kMostThreadsOfBlock) &&
                    std::uint64_t{block.x} * block.y * block.z <= kMostThreads;
  if (!fits) return cudaErrorInvalidConfiguration;
  return shared > kMostSharedUnasked ? cudaErrorInvalidValue : cudaSuccess;
}

bool takes_launch(dim3 grid, dim3 block, std::size_t shared, const CUstream_st* stream) {
  if (refuse(launch_error(grid, block, shared)) != cudaSuccess) return false;
  const bool own = stream == nullptr || stream->gpu == current_gpu();
  return refuse(own ? cudaSuccess : cudaErrorInvalidResourceHandle) == cudaSuccess;
}

void start_ranks_of_several_gpus() {
  starts_ranks = true;
  std::this_thread::sleep_for(kBetweenRanks);
  starts_ranks = false;
}

void check_memory_call() {
  if (!starts_ranks) return;
  std::fputs("memory is taken or freed while ranks of a collective are started\n", stderr);
  std::abort();
}

void LoadedKernel::use() {
  const unsigned gpu = 1u << static_cast<unsigned>(current_gpu());
  if ((gpus_.fetch_or(gpu) & gpu) == 0) check_memory_call();
}

}  // namespace convoy::cuda::emulation
