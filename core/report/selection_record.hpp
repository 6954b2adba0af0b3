#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace convoy {

// What --auto=measure tried.
struct TrialRecord {
  struct Tried {
    std::string flags;
    double predicted_step_seconds = 0;
    std::optional<double> measured_step_seconds;
    std::int64_t counted_steps = 0;
    std::string left_out;  // why it was not tried
  };
  std::int64_t steps = 0;
  std::int64_t exchanges = 0;  // of plans
  double exchange_seconds = 0;
  std::vector<Tried> tried;
};

// What --variable_update=auto chose for a run, and what it predicted.
struct SelectionRecord {
  std::string origin;  // "simulated", "remembered", "measured" or "rule of thumb"
  std::string flags;   // "--variable_update=replicated --bucket_mb=16"
  std::string basis;   // on which machine, or the rule's reason
  bool calibrated = false;
  std::optional<double> predicted_step_seconds;
  std::string runner_up;  // flags; empty: there was nothing else
  std::optional<double> runner_up_step_seconds;
  std::optional<TrialRecord> trial;  // of this run or a remembered one
};

}  // namespace convoy
