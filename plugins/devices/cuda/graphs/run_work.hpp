#pragma once

#include <convoy/abi.h>

#include <cstdint>
#include <vector>

#include "plugins/devices/cuda/kernels/step_values.hpp"
#include "plugins/devices/cuda/lanes/pinned_slots.hpp"

namespace convoy::cuda {

// The addresses and numbers that work was recorded with. The recording is valid only for these.
using Signature = std::vector<std::uint64_t>;

// A device's operations, in the form that recording needs.
class RunWork {
 public:
  virtual ~RunWork() = default;
  // Whether the operation can be recorded at all. Any thread may call it; it must not throw.
  virtual bool takes(const convoy_submission& operation) const = 0;
  // Appends everything that the operation's work holds by value, except StepValues. Returns false
  // if the operation has to run first, because libraries then load code and allocate memory.
  virtual bool describe(const convoy_submission& operation, Signature& signature) = 0;
  virtual StepValues values(const convoy_submission& operation) = 0;
  // See RunReplayer.
  virtual void begin(const convoy_submission& operation) = 0;
  virtual void end(const convoy_submission& operation) = 0;
  // Queues the operation's work on its lane. values: device memory that will contain them.
  virtual void queue(const convoy_submission& operation, PinnedSlots::Slot* slot,
                     const StepValues* values) = 0;
  // Tells the host the results in the operation's slot.
  virtual void tell(const convoy_submission& operation, const PinnedSlots::Slot& slot) = 0;
};

}  // namespace convoy::cuda
