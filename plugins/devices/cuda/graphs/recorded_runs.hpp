#pragma once

#include <convoy/abi.h>

#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "plugins/devices/cuda/graphs/recorded_run.hpp"

namespace convoy::cuda {

// Runs of operations as graphs. A run that has run once without a graph is recorded when it occurs
// again, and replayed whenever it occurs with the same addresses and numbers. A few recordings are
// kept per run, for different addresses and numbers. Runs that cannot be recorded run without a
// graph.
class RecordedRuns : public RunReplayer {
 public:
  explicit RecordedRuns(const RecordingParts& parts) : parts_(parts) {}

  bool takes(const convoy_submission& operation) const override;
  void begin(const OperationRun& run) override;
  void end(const OperationRun& run) override;
  std::shared_ptr<ReplayedRun> find(const OperationRun& run) override;
  // Nothing is recorded while the lock is held. Any thread may call it.
  std::unique_lock<std::mutex> pause() { return std::unique_lock(mutex_); }
  // Drops all recordings. Call it while no operation is running.
  void forget_all();

 private:
  using Recordings = std::vector<std::shared_ptr<RecordedRun>>;  // the latest last

  RecordingParts parts_;
  std::mutex mutex_;                                           // guards the members below
  std::map<const convoy_submission*, Recordings> recordings_;  // by the first operation
};

}  // namespace convoy::cuda
