#pragma once

#include <convoy/abi.h>

#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "plugins/devices/cuda/graphs/recorded_run.hpp"

namespace convoy::cuda {

// Runs of operations as graphs. What has run as it is once is recorded when it comes the next time,
// and replayed whenever it comes with the same addresses and numbers. For a few sets of those, a
// recording each is kept; what cannot be recorded runs as it is.
class RecordedRuns : public RunReplayer {
 public:
  explicit RecordedRuns(const RecordingParts& parts) : parts_(parts) {}

  bool takes(const convoy_submission& operation) const override;
  void begin(const OperationRun& run) override;
  void end(const OperationRun& run) override;
  std::shared_ptr<ReplayedRun> find(const OperationRun& run) override;
  // Nothing is recorded while this is held. From any thread.
  std::unique_lock<std::mutex> pause() { return std::unique_lock(mutex_); }
  // Nothing of them is needed any more; while no operation is under way.
  void forget_all();

 private:
  using Recordings = std::vector<std::shared_ptr<RecordedRun>>;  // the latest last

  RecordingParts parts_;
  std::mutex mutex_;                                           // of what follows
  std::map<const convoy_submission*, Recordings> recordings_;  // by the first operation
};

}  // namespace convoy::cuda
