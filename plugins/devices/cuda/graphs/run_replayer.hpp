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
  // Launches on the lane of its first operation, after everything that the run waits for.
  virtual void launch() = 0;
  // Called when the launch is done. Returns when each operation ran, in the run's order. whole:
  // from the first one's start to the last one's end.
  virtual std::vector<convoy_timing> times(const convoy_timing& whole) = 0;
  // Tells the host the result of one operation, by its index in the run.
  virtual void tell(const convoy_submission& operation, std::size_t place) = 0;
  // Called when all operations are told.
  virtual void landed() = 0;
};

// Launches runs for a lane engine. The launching thread calls all functions except takes(). They
// throw when the device has failed.
class RunReplayer {
 public:
  virtual ~RunReplayer() = default;
  // Whether the operation can be part of a run. Any thread may call it; it must not throw.
  virtual bool takes(const convoy_submission& operation) const = 0;
  // begin: the run is launched next, as a whole or one by one; makes its lanes wait for input from
  // outside of it. end: the run was launched; that input may be overwritten after it.
  virtual void begin(const OperationRun& run) = 0;
  virtual void end(const OperationRun& run) = 0;
  // Returns the launch for the run; null: its operations are queued one by one.
  virtual std::shared_ptr<ReplayedRun> find(const OperationRun& run) = 0;
};

}  // namespace convoy::cuda
