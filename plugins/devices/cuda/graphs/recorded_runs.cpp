#include "plugins/devices/cuda/graphs/recorded_runs.hpp"

#include <algorithm>

namespace convoy::cuda {
namespace {

// Recordings of one run: buffers for images alternate, and sets of parameters may, too.
constexpr std::size_t kMostOfOneRun = 4;
// If there are more runs, the oldest belong to sessions that have ended.
constexpr std::size_t kMostRuns = 1024;

}  // namespace

bool RecordedRuns::takes(const convoy_submission& operation) const {
  return parts_.work.takes(operation);
}

void RecordedRuns::begin(const OperationRun& run) {
  for (const convoy_submission* it : run.operations()) parts_.work.begin(*it);
}

void RecordedRuns::end(const OperationRun& run) {
  for (const convoy_submission* it : run.operations()) parts_.work.end(*it);
}

std::shared_ptr<ReplayedRun> RecordedRuns::find(const OperationRun& run) {
  Signature signature;
  for (const convoy_submission* it : run.operations())
    if (!parts_.work.describe(*it, signature)) return nullptr;
  const std::lock_guard lock(mutex_);
  if (recordings_.size() >= kMostRuns) recordings_.clear();
  Recordings& known = recordings_[&run.first()];
  auto found = std::find_if(known.begin(), known.end(),
                            [&](const auto& it) { return it->signature() == signature; });
  if (found == known.end()) {
    if (known.size() == kMostOfOneRun) known.erase(known.begin());
    known.push_back(std::make_shared<RecordedRun>(parts_, run, std::move(signature)));
    found = std::prev(known.end());
  }
  RecordedRun& recorded = **found;
  if (recorded.failed() || recorded.is_under_way()) return nullptr;
  recorded.set_values(run);
  return *found;
}

void RecordedRuns::forget_all() {
  const std::lock_guard lock(mutex_);
  recordings_.clear();
}

}  // namespace convoy::cuda
