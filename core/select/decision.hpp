#pragma once

#include <optional>
#include <string>

#include "core/select/ranking.hpp"
#include "core/select/trial_result.hpp"

namespace convoy::select {

// The way in which --variable_update=auto made its choice.
enum class DecisionOrigin {
  kSimulated,
  kRemembered,  // simulated or measured by an earlier run under the same conditions
  kMeasured,    // by a trial of the candidates that the simulation could not tell apart
  kRule         // a rule of thumb: no machine is described, or nothing is trained
};

std::string_view to_string(DecisionOrigin origin);

struct RunnerUp {
  Candidate candidate;
  double step_seconds = 0;
  bool operator==(const RunnerUp&) const = default;
};

// The choice of --variable_update=auto, with its reasons.
struct Decision {
  DecisionOrigin origin = DecisionOrigin::kRule;
  Candidate chosen;          // kRule: without a bucket size; the command line decides it
  double step_seconds = 0;   // predicted; 0: there is no prediction
  std::string bottleneck;    // predicted: the main use of the step's time apart from compute
  std::string basis;         // "4 CPU devices of this machine, calibrated", or the rule's reason
  bool calibrated = false;   // the prediction rests on measurements of the machine itself
  bool usual = false;        // it is the usual one of several candidates that are equally fast
  std::size_t compared = 0;  // candidates that have a prediction
  // The best of all other variants, as measured if candidates were tried, otherwise as predicted.
  std::optional<RunnerUp> runner_up;
  std::optional<TrialResult> trial;  // if the choice was measured

  bool operator==(const Decision&) const = default;
};

// Chooses the best of a ranking. Candidates that are less than kIndistinguishable behind the best
// cannot be told apart by simulation: among them the usual variant is chosen, whatever its bucket
// size, or else one whose strategy does not claim to be approximate, so that the choice does not
// change without a reason. Throws Error (kUnavailable) with all reasons if there is no candidate.
constexpr double kIndistinguishable = 0.005;
Decision decide(const Ranking& ranking, const Candidate& usual, const std::string& basis,
                bool calibrated);

// Returns the decision after a trial of its candidates, with the winner.
Decision decide(const Decision& decision, const TrialResult& trial, const RankedCandidate& winner);

// Returns the seconds of a step of the chosen candidate: measured in a trial, or else predicted, or
// else 0.
double expected_step_seconds(const Decision& decision);

// Writes one line for people: the choice, its step, the next best, and the reason.
std::string decision_line(const Decision& decision);

}  // namespace convoy::select
