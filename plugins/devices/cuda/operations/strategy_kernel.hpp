#pragma once

#include <convoy/abi.h>

#include <memory>

#include "plugins/devices/cuda/libraries/loaded_kernel.hpp"

namespace convoy::cuda {

// A kernel of a strategy on one GPU, the target of convoy_submission.device_kernel.
class StrategyKernel {
 public:
  // Loads it on the calling thread's GPU. Throws std::invalid_argument for sizes that no GPU
  // supports, else the errors of load_kernel().
  explicit StrategyKernel(const convoy_kernel_code& code);

  // Queues the CALL on a stream of that GPU. Throws std::invalid_argument when it has more spans
  // than convoy_cuda_call holds.
  void run(const convoy_submission& call, Stream stream) const;

 private:
  unsigned threads_;
  unsigned blocks_;  // 0: depends on the size of the first write
  std::unique_ptr<LoadedKernel> loaded_;
};

// Returns the argument of the kernel for a CALL, with spans in the memory of the GPU.
convoy_cuda_call cuda_call_of(const convoy_submission& call);

// Returns the number of blocks that gives each element a thread, up to a number that fills any GPU.
unsigned blocks_for(std::uint64_t elements, unsigned threads);

}  // namespace convoy::cuda
