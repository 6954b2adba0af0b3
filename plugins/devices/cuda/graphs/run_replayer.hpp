#pragma once

#include <convoy/abi.h>

#include <cstddef>
#include <memory>
#include <vector>

#include "plugins/devices/cuda/graphs/operation_run.hpp"

namespace convoy::cuda {

// A run of operations that one launch queues. It is launched again only after all of its operations
// were finished.
class ReplayedRun {
 public:
  virtual ~ReplayedRun() = default;
  // On the lane of its first operation, behind all that the run waits for.
  virtual void launch() = 0;
  // The launch is done. When each operation ran, in the run's order; whole: from the first one's
  // start to the last one's end.
  virtual std::vector<convoy_timing> times(const convoy_timing& whole) = 0;
  // Tells the host the result of one operation, by its place in the run.
  virtual void tell(const convoy_submission& operation, std::size_t place) = 0;
  // All operations are told.
  virtual void landed() = 0;
};

// How a lane engine launches runs. Functions but takes() are called by its launching thread, and
// throw when the device has failed.
class RunReplayer {
 public:
  virtual ~RunReplayer() = default;
  // Whether the operation can be part of a run. Any thread; must not throw.
  virtual bool takes(const convoy_submission& operation) const = 0;
  // The run is launched next, as a whole or one by one: lets its lanes wait for what comes from
  // outside of it; and: it was launched, that may be overwritten behind it.
  virtual void begin(const OperationRun& run) = 0;
  virtual void end(const OperationRun& run) = 0;
  // The launch that stands for the run; null: its operations are to be queued one by one.
  virtual std::shared_ptr<ReplayedRun> find(const OperationRun& run) = 0;
};

}  // namespace convoy::cuda
