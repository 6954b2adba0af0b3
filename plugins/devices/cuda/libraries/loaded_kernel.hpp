#pragma once

#include <convoy/abi.h>

#include <memory>

#include "plugins/devices/cuda/kernels/types.hpp"

namespace convoy::cuda {

// A strategy's kernel in the memory of a GPU, ready to be launched on it.
class LoadedKernel {
 public:
  virtual ~LoadedKernel() = default;
  // Queues it, with `blocks` blocks of `threads` threads.
  virtual void launch(Stream stream, unsigned blocks, unsigned threads,
                      const convoy_cuda_call& call) const = 0;
};

// Compiles the kernel if it is source, and loads it on the calling thread's GPU. Throws
// std::runtime_error with the text of the compiler or the driver.
std::unique_ptr<LoadedKernel> load_kernel(const convoy_kernel_code& code);

}  // namespace convoy::cuda
