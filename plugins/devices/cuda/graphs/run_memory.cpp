#include "plugins/devices/cuda/graphs/run_memory.hpp"

#include "plugins/devices/cuda/gpu/gpu_memory.hpp"
#include "plugins/devices/cuda/status.hpp"

namespace convoy::cuda {
namespace {

// One block of pinned memory and one of device memory. They are not cleared, because clearing would
// wait for the GPU, which is not allowed while another device on it records.
class CudaRunMemory : public RunMemory {
 public:
  explicit CudaRunMemory(std::size_t operations) : operations_(operations) {
    void* memory = nullptr;
    require(allocate_on_gpu(&memory, operations * sizeof(StepValues)),
            "allocating memory on the GPU");
    device_.reset(static_cast<StepValues*>(memory));
    require(allocate_pinned(&memory, operations * sizeof(Entry)), "allocating pinned host memory");
    slots_.reset(static_cast<PinnedSlots::Slot*>(memory));
    values_ = reinterpret_cast<StepValues*>(slots_.get() + operations);
  }

  StepValues& values(std::size_t operation) override { return values_[operation]; }
  const StepValues* device_values(std::size_t operation) const override {
    return device_.get() + operation;
  }
  PinnedSlots::Slot& slot(std::size_t operation) override { return slots_.get()[operation]; }
  void bring_values(cudaStream_t stream) override {
    require(cudaMemcpyAsync(device_.get(), values_, operations_ * sizeof(StepValues),
                            cudaMemcpyHostToDevice, stream),
            "copying a step's values");
  }

 private:
  struct Entry {
    PinnedSlots::Slot slot;
    StepValues values;
  };

  struct Free {
    void operator()(StepValues* memory) const { static_cast<void>(free_on_gpu(memory)); }
    void operator()(PinnedSlots::Slot* memory) const { static_cast<void>(free_pinned(memory)); }
  };

  std::size_t operations_;
  std::unique_ptr<StepValues, Free> device_;
  std::unique_ptr<PinnedSlots::Slot, Free> slots_;
  StepValues* values_ = nullptr;
};

}  // namespace

std::unique_ptr<RunMemory> cuda_run_memory(std::size_t operations) {
  return std::make_unique<CudaRunMemory>(operations);
}

}  // namespace convoy::cuda
