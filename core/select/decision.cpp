#include "core/select/decision.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace convoy {
namespace {

std::string behind_text(double fraction) {
  return fraction < 5e-4 ? "as fast" : fmt::format("+{:.1f} %", 100 * fraction);
}

}  // namespace

std::string_view to_string(DecisionOrigin origin) {
  constexpr std::array<std::string_view, 3> kNames = {"simulated", "remembered", "rule of thumb"};
  return kNames.at(static_cast<std::size_t>(origin));
}

Decision decide(const Ranking& ranking, const Candidate& usual, const std::string& basis,
                bool calibrated) {
  const RankedCandidate* taken = &ranking.best();
  Decision decision;
  for (const RankedCandidate& each : ranking.candidates) {
    if (each.state != CandidateState::kPredicted || ranking.behind(each) > kIndistinguishable)
      break;
    if (decision.usual || !same_variant(each.candidate, usual)) continue;
    decision.usual = &each != taken;
    taken = &each;
  }
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

std::string decision_line(const Decision& decision) {
  std::string line = fmt::format("--variable_update=auto takes {}", flags_of(decision.chosen));
  if (decision.origin == DecisionOrigin::kRule)
    return fmt::format("{}: {} (a rule of thumb, not a simulation)", line, decision.basis);
  line += fmt::format(": predicted step {:.3f} ms", 1e3 * decision.step_seconds);
  if (!decision.bottleneck.empty()) line += fmt::format(", spent on {}", decision.bottleneck);
  if (decision.runner_up)
    line += fmt::format("; next {}, {}", flags_of(decision.runner_up->candidate),
                        behind_text(decision.runner_up->step_seconds / decision.step_seconds - 1));
  const bool remembered = decision.origin == DecisionOrigin::kRemembered;
  return fmt::format("{} ({}{} of {} simulated on {})", line, remembered ? "remembered: " : "",
                     decision.usual ? "the usual one among the fastest" : "the fastest",
                     decision.compared, decision.basis);
}

}  // namespace convoy
