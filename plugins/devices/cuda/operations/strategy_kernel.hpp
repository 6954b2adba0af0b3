#pragma once

#include <convoy/abi.h>

#include <memory>

#include "plugins/devices/cuda/libraries/loaded_kernel.hpp"

namespace convoy::cuda {

// A kernel of a strategy on one GPU, as convoy_submission.device_kernel names it.
class StrategyKernel {
 public:
  // On the calling thread's GPU. Throws std::invalid_argument for sizes that no GPU takes, else as
  // load_kernel().
  explicit StrategyKernel(const convoy_kernel_code& code);

  // Queues the CALL on a stream of that GPU. Throws std::invalid_argument when it has more spans
  // than a kernel is told.
  void run(const convoy_submission& call, Stream stream) const;

 private:
  unsigned threads_;
  unsigned blocks_;  // 0: by the size of the first write
  std::unique_ptr<LoadedKernel> loaded_;
};

// What the kernel is told of a CALL, in the memory of the GPU.
convoy_cuda_call cuda_call_of(const convoy_submission& call);

// How many blocks give each of so many elements a thread, up to a number that fills any GPU.
unsigned blocks_for(std::uint64_t elements, unsigned threads);

}  // namespace convoy::cuda
