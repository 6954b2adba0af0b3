#pragma once

#include <optional>
#include <string>

namespace convoy {

// What --variable_update=auto chose for a run, and what it predicted.
struct SelectionRecord {
  std::string origin;  // "simulated", "remembered" or "rule of thumb"
  std::string flags;   // "--variable_update=replicated --bucket_mb=16"
  std::string basis;   // on which machine, or the rule's reason
  bool calibrated = false;
  std::optional<double> predicted_step_seconds;
  std::string runner_up;  // flags; empty: there was nothing else
  std::optional<double> runner_up_step_seconds;
};

}  // namespace convoy
