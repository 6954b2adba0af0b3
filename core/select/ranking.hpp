#pragma once

#include <string>
#include <vector>

#include "core/select/candidate.hpp"

namespace convoy::select {

// The state of a candidate.
enum class CandidateState {
  kPredicted,  // has a predicted step
  kExcluded,   // computes something else than a synchronous step
  kTooLarge,   // does not fit into a device's memory
  kRefused     // its strategy or the devices cannot do it here
};

std::string_view to_string(CandidateState state);

struct RankedCandidate {
  Candidate candidate;
  CandidateState state = CandidateState::kRefused;
  double step_seconds = 0;          // prediction of a step
  std::string bottleneck;           // prediction: what takes most of the step's time
  std::string reason;               // otherwise: why there is no prediction
  std::string plan_hash = {};       // prediction: hash of the lowered plan
  bool claims_approximate = false;  // claim of the strategy, whatever its plan does on this cluster
};

// Returns whether both differ only in the size of buckets.
bool same_variant(const Candidate& a, const Candidate& b);

// All candidates, the fastest first and those without a prediction last. Of equal ones, the
// candidate that was enumerated first comes first.
struct Ranking {
  std::vector<RankedCandidate> candidates;

  // Throws Error if no candidate has a prediction: kUnavailable with all reasons, or kUsage with
  // their common reason if it is the value of an option.
  const RankedCandidate& best() const;
  // Returns the fastest candidate of any other variant; null if no other one has a prediction.
  const RankedCandidate* best_but(const Candidate& candidate) const;
  // Returns how much longer the candidate's predicted step is than the best one's: 0.02 = 2 %.
  double behind(const RankedCandidate& candidate) const;
  // Returns the candidates to compare in a measured trial: for every variant of every strategy the
  // best bucket size, if it is at most `tolerance` behind the best of all; at most `most`
  // candidates.
  std::vector<Candidate> shortlist(double tolerance, std::size_t most) const;
};

// Returns the relative distance to the best prediction within which a candidate may still be the
// fastest: at least 3 %, and twice the known relative error of predictions.
double shortlist_tolerance(double known_error);
constexpr std::size_t kMostTried = 5;  // candidates of a shortlist

Ranking ranked(std::vector<RankedCandidate> candidates);

// Returns the ranking as a table for people. A variant has one line with its best bucket size, its
// predicted step, the distance to the best, and its bottleneck, or the reason why it has no
// prediction.
std::string explanation(const Ranking& ranking);

}  // namespace convoy::select
