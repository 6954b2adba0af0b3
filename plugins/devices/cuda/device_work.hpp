#pragma once

#include "plugins/devices/cuda/graphs/run_work.hpp"
#include "plugins/devices/cuda/lanes/cuda_streams.hpp"
#include "plugins/devices/cuda/operations/first_runs.hpp"
#include "plugins/devices/cuda/operations/operations.hpp"

namespace convoy::cuda {

// The work of a single device: everything except collectives. Used by the launching thread.
class DeviceWork : public RunWork {
 public:
  explicit DeviceWork(const CudaStreams& streams) : streams_(streams) {}

  bool takes(const convoy_submission& operation) const override;
  bool describe(const convoy_submission& operation, Signature& signature) override;
  StepValues values(const convoy_submission& operation) override;
  void begin(const convoy_submission& operation) override;
  void end(const convoy_submission& operation) override;
  // values: null = those of the submission. Holds the memory turn for new operations: see
  // FirstRuns.
  void queue(const convoy_submission& operation, PinnedSlots::Slot* slot,
             const StepValues* values) override;
  void tell(const convoy_submission& operation, const PinnedSlots::Slot& slot) override;

 private:
  const CudaStreams& streams_;
  Operations operations_;
  FirstRuns first_runs_;
};

}  // namespace convoy::cuda
