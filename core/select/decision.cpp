#include "core/select/decision.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace convoy::select {
namespace {

std::string behind_text(double fraction) {
  return fraction < 5e-4 ? "as fast" : fmt::format("+{:.1f} %", 100 * fraction);
}

// The simulator names the largest cost besides compute, unless there is only compute.
std::string spent_text(const std::string& bottleneck) {
  if (bottleneck.empty()) return {};
  if (bottleneck == "compute") return ", nearly all of it compute";
  return fmt::format(", beside compute mostly {}", bottleneck);
}

const Tried* trial_of_chosen(const Decision& decision) {
  if (!decision.trial) return nullptr;
  for (const Tried& each : decision.trial->tried)
    if (each.measured_seconds && each.candidate == decision.chosen) return &each;
  return nullptr;
}

// Returns the fastest of the other candidates that were tried.
const Tried* next_of_trial(const Decision& decision) {
  const Tried* next = nullptr;
  for (const Tried& each : decision.trial->tried)
    if (each.measured_seconds && each.candidate != decision.chosen &&
        (next == nullptr || *each.measured_seconds < *next->measured_seconds))
      next = &each;
  return next;
}

std::string measured_line(const Decision& decision, const Tried& taken) {
  std::string line = fmt::format(
      "--variable_update=auto takes {}: step {:.3f} ms, predicted {:.3f} ms",
      flags_of(decision.chosen), 1e3 * *taken.measured_seconds, 1e3 * taken.predicted_seconds);
  if (const Tried* next = next_of_trial(decision))
    line += fmt::format("; next {}, {:+.1f} %", flags_of(next->candidate),
                        100 * (*next->measured_seconds / *taken.measured_seconds - 1));
  const auto measured = std::ranges::count_if(
      decision.trial->tried, [](const Tried& each) { return each.measured_seconds.has_value(); });
  const bool remembered = decision.origin == DecisionOrigin::kRemembered;
  return fmt::format("{} ({}the best of {} measured in {} steps on {})", line,
                     remembered ? "remembered: " : "", measured, decision.trial->steps,
                     decision.basis);
}

// Chooses among the candidates that are as fast as the best one: the usual variant, or else the
// first one that is exact on any cluster. Many strategies are exact on one device but not on two.
const RankedCandidate& most_usual(const Ranking& ranking, const Candidate& usual) {
  const RankedCandidate* exact = nullptr;
  for (const RankedCandidate& each : ranking.candidates) {
    if (each.state != CandidateState::kPredicted || ranking.behind(each) > kIndistinguishable)
      break;
    // This is the variant's fastest bucket size. Other sizes are no more usual.
    if (same_variant(each.candidate, usual)) return each;
    if (exact == nullptr && !each.claims_approximate) exact = &each;
  }
  return exact != nullptr ? *exact : ranking.best();
}

}  // namespace

std::string_view to_string(DecisionOrigin origin) {
  constexpr std::array<std::string_view, 4> kNames = {"simulated", "remembered", "measured",
                                                      "rule of thumb"};
  return kNames.at(static_cast<std::size_t>(origin));
}

Decision decide(const Ranking& ranking, const Candidate& usual, const std::string& basis,
                bool calibrated) {
  const RankedCandidate* taken = &most_usual(ranking, usual);
  Decision decision;
  decision.usual = taken != &ranking.best();
  decision.origin = DecisionOrigin::kSimulated;
  decision.chosen = taken->candidate;
  decision.step_seconds = taken->step_seconds;
  decision.bottleneck = taken->bottleneck;
  decision.basis = basis;
  decision.calibrated = calibrated;
  decision.compared = static_cast<std::size_t>(
      std::count_if(ranking.candidates.begin(), ranking.candidates.end(),
                    [](const auto& each) { return each.state == CandidateState::kPredicted; }));
  if (const RankedCandidate* next = ranking.best_but(taken->candidate))
    decision.runner_up = {next->candidate, next->step_seconds};
  return decision;
}

Decision decide(const Decision& decision, const TrialResult& trial, const RankedCandidate& winner) {
  Decision result = decision;
  result.origin = DecisionOrigin::kMeasured;
  result.trial = trial;
  if (winner.candidate != decision.chosen) {
    result.chosen = winner.candidate;
    result.step_seconds = winner.step_seconds;
    result.bottleneck = winner.bottleneck;
    result.usual = false;
  }
  if (const Tried* next = next_of_trial(result))
    result.runner_up = {next->candidate, *next->measured_seconds};
  return result;
}

double expected_step_seconds(const Decision& decision) {
  const Tried* tried = trial_of_chosen(decision);
  return tried != nullptr ? *tried->measured_seconds : decision.step_seconds;
}

std::string decision_line(const Decision& decision) {
  if (const Tried* tried = trial_of_chosen(decision)) return measured_line(decision, *tried);
  std::string line = fmt::format("--variable_update=auto takes {}", flags_of(decision.chosen));
  if (decision.origin == DecisionOrigin::kRule)
    return fmt::format("{}: {} (a rule of thumb, not a simulation)", line, decision.basis);
  line += fmt::format(": predicted step {:.3f} ms", 1e3 * decision.step_seconds);
  line += spent_text(decision.bottleneck);
  if (decision.runner_up)
    line += fmt::format("; next {}, {}", flags_of(decision.runner_up->candidate),
                        behind_text(decision.runner_up->step_seconds / decision.step_seconds - 1));
  const bool remembered = decision.origin == DecisionOrigin::kRemembered;
  return fmt::format("{} ({}{} of {} simulated on {})", line, remembered ? "remembered: " : "",
                     decision.usual ? "the usual one among the fastest" : "the fastest",
                     decision.compared, decision.basis);
}

}  // namespace convoy::select
