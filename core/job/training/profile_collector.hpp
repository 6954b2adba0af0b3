#pragma once

#include <optional>
#include <vector>

#include "core/report/profile_record.hpp"
#include "core/runtime/session.hpp"
#include "core/runtime/training_loop.hpp"

namespace convoy::job {

// Collects the data of --profile: the devices' own speed before training, and the times of layers
// in the timed steps. The session's programs must record times.
class ProfileCollector {
 public:
  // Measures the devices. Error kUnavailable if they cannot be profiled.
  explicit ProfileCollector(const runtime::Session& session);

  // Called when the first timed step is about to be finished.
  void warmed_up();
  // Called once all steps are finished. Empty if there were no timed steps.
  std::optional<report::ProfileRecord> record(const runtime::TrainingSummary& summary,
                                              std::int64_t warmup_steps) const;

 private:
  using Records = std::vector<std::vector<convoy_profile_record>>;

  const runtime::Session& session_;
  double multiply_rate_ = 0;
  double stream_rate_ = 0;
  Records before_;
};

}  // namespace convoy::job
