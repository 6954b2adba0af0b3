#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/select/candidate.hpp"

namespace convoy::select {

// A candidate of a shortlist, with the result of its trial during the first steps of a training.
struct Tried {
  Candidate candidate;
  double predicted_seconds = 0;            // seconds of a step
  std::optional<double> measured_seconds;  // median of the steps that count
  std::int64_t counted_steps = 0;
  std::string left_out;  // otherwise: why the candidate was not tried

  bool operator==(const Tried&) const = default;
};

// The result of --auto=measure.
struct TrialResult {
  std::vector<Tried> tried;     // in the order of their predictions
  std::int64_t steps = 0;       // steps of the training, for all candidates together
  std::int64_t exchanges = 0;   // number of exchanges of one plan for another
  double exchange_seconds = 0;  // time of the exchanges; it is part of no step

  bool operator==(const TrialResult&) const = default;
};

// Returns a table for people: one line per candidate, the fastest first, those left out last.
std::string trial_table(const TrialResult& trial);

}  // namespace convoy::select
