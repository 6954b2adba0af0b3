#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <memory>

#include "plugins/devices/cuda/kernels/step_values.hpp"
#include "plugins/devices/cuda/lanes/pinned_slots.hpp"

namespace convoy::cuda {

// The own memory of a recorded run, per operation: StepValues on the host and on the device, and a
// slot for the result.
class RunMemory {
 public:
  virtual ~RunMemory() = default;
  virtual StepValues& values(std::size_t operation) = 0;
  virtual const StepValues* device_values(std::size_t operation) const = 0;
  virtual PinnedSlots::Slot& slot(std::size_t operation) = 0;
  // Queues the copy of all values to the device.
  virtual void bring_values(cudaStream_t stream) = 0;
};

// In memory of the calling thread's GPU.
std::unique_ptr<RunMemory> cuda_run_memory(std::size_t operations);

}  // namespace convoy::cuda
