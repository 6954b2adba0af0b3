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
  kRefused     // its strategy, or the devices, cannot do it here
};

std::string_view to_string(CandidateState state);

struct RankedCandidate {
  Candidate candidate;
  CandidateState state = CandidateState::kRefused;
  double step_seconds = 0;          // predicted
  std::string bottleneck;           // predicted: what the step's time is spent on
  std::string reason;               // otherwise: why not
  std::string plan_hash = {};       // predicted: of the lowered plan
  bool claims_approximate = false;  // the strategy, whatever its plan is on this cluster
};

// Whether both differ only in the size of buckets.
bool same_variant(const Candidate& a, const Candidate& b);

// All candidates, the fastest first, those without a prediction last. Of equals the one that was
// enumerated first.
struct Ranking {
  std::vector<RankedCandidate> candidates;

  // Throws Error when no candidate has a prediction: kUnavailable with all reasons, or kUsage with
  // the one that they have in common, if that is the value of an option.
  const RankedCandidate& best() const;
  // The fastest candidate of any other variant; null when no other one has a prediction.
  const RankedCandidate* best_but(const Candidate& candidate) const;
  // How much longer than the best one's a candidate's step is predicted to take, 0.02 = 2 %.
  double behind(const RankedCandidate& candidate) const;
  // The best of every strategy's every variant, over bucket sizes, that is at most `tolerance`
  // behind the best of all; at most `most` of them. What a measured trial compares.
  std::vector<Candidate> shortlist(double tolerance, std::size_t most) const;
};

// The relative distance to the best prediction within which a candidate may still be the fastest:
// at least 3 %, and twice the known relative error of predictions.
double shortlist_tolerance(double known_error);
constexpr std::size_t kMostTried = 5;  // candidates of a shortlist

Ranking ranked(std::vector<RankedCandidate> candidates);

// The ranking as a table for people: one line per variant with its best bucket size, its predicted
// step, how far behind, its bottleneck or why it has no prediction.
std::string explanation(const Ranking& ranking);

}  // namespace convoy::select
