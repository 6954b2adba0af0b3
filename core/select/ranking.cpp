#include "core/select/ranking.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "core/base/error.hpp"

namespace convoy::select {
namespace {

// Returns the first candidate of every variant. The candidates are in order, so it has the best
// bucket size.
std::vector<const RankedCandidate*> best_of_variants(const Ranking& ranking) {
  std::vector<const RankedCandidate*> best;
  for (const RankedCandidate& each : ranking.candidates) {
    const bool seen = std::any_of(best.begin(), best.end(), [&](const RankedCandidate* other) {
      return same_variant(other->candidate, each.candidate);
    });
    if (!seen) best.push_back(&each);
  }
  return best;
}

// Returns what is wrong, without advice. The strategy's name is left out, because the line begins
// with it.
std::string in_short(const RankedCandidate& each) {
  const std::string known =
      fmt::format("strategy {} does not take this cluster: ", each.candidate.strategy);
  std::string text = each.reason;
  if (text.starts_with(known)) text.erase(0, known.size());
  return text.substr(0, std::min(text.find(": "), text.find("; ")));
}

// Returns the reason in "strategy x does not take --a=b: REASON"; empty if no option is at fault.
std::string_view refused_option(std::string_view reason) {
  const std::size_t colon = reason.find(": ");
  const bool is_option =
      reason.substr(0, colon).find(" does not take --") != std::string_view::npos;
  return is_option && colon != std::string_view::npos ? reason.substr(colon + 2)
                                                      : std::string_view();
}

// Returns whether `it` adds options to another of the variants.
bool adds_options(const RankedCandidate* it, std::span<const RankedCandidate* const> variants) {
  return std::ranges::any_of(variants, [&](const RankedCandidate* other) {
    return other->candidate.strategy == it->candidate.strategy &&
           other->candidate.options.size() < it->candidate.options.size() &&
           std::ranges::includes(it->candidate.options, other->candidate.options);
  });
}

// If strategies refuse an option's value for the same reason, the value is wrong. Further reasons
// of variants with more options do not matter.
void fail_if_refused_alike(std::span<const RankedCandidate* const> variants) {
  if (variants.size() < 2) return;
  const auto first = std::ranges::find_if_not(
      variants, [&](const RankedCandidate* it) { return adds_options(it, variants); });
  const std::string_view reason = refused_option((*first)->reason);
  const auto alike = [&](const RankedCandidate* it) {
    return it->state == CandidateState::kRefused &&
           (refused_option(it->reason) == reason || adds_options(it, variants));
  };
  if (!reason.empty() && std::ranges::all_of(variants, alike))
    fail(ExitCode::kUsage, "no strategy that --variable_update=auto may take does this: {}",
         reason);
}

// Candidates that do not fit lack nearly the same memory, so the first one represents all.
std::string too_large(std::span<const RankedCandidate* const> variants) {
  const auto is_large = [](const RankedCandidate* it) {
    return it->state == CandidateState::kTooLarge;
  };
  const auto first = std::ranges::find_if(variants, is_large);
  if (first == variants.end()) return "";
  const auto others = std::ranges::count_if(variants, is_large) - 1;
  return fmt::format(
      "--variable_update=auto finds no strategy that fits. {}: {}; a smaller --batch_size needs "
      "less.{}",
      flags_of((*first)->candidate), (*first)->reason,
      others > 0 ? fmt::format(" {} more do not fit either.", others) : "");
}

std::string why_none(std::span<const RankedCandidate* const> variants) {
  std::string text = too_large(variants);
  if (text.empty())
    text =
        "--variable_update=auto finds no strategy for this run; name one with --variable_update "
        "to see more.";
  if (variants.empty())
    return text + " No installed strategy declares the options that were given.";
  for (const RankedCandidate* each : variants)
    if (each->state != CandidateState::kTooLarge)
      text += fmt::format("\n  {}: {}", flags_of(each->candidate), each->reason);
  return text;
}

}  // namespace

bool same_variant(const Candidate& a, const Candidate& b) {
  return a.strategy == b.strategy && a.options == b.options;
}

std::string_view to_string(CandidateState state) {
  constexpr std::array<std::string_view, 4> kNames = {"predicted", "excluded", "too large",
                                                      "refused"};
  return kNames.at(static_cast<std::size_t>(state));
}

double shortlist_tolerance(double known_error) {
  return std::max(0.03, 2 * known_error);
}

Ranking ranked(std::vector<RankedCandidate> candidates) {
  const auto key = [](const RankedCandidate& each) {
    return std::pair(each.state, each.state == CandidateState::kPredicted ? each.step_seconds : 0);
  };
  std::stable_sort(candidates.begin(), candidates.end(),
                   [&](const auto& a, const auto& b) { return key(a) < key(b); });
  return {std::move(candidates)};
}

const RankedCandidate& Ranking::best() const {
  if (!candidates.empty() && candidates.front().state == CandidateState::kPredicted)
    return candidates.front();
  const std::vector<const RankedCandidate*> variants = best_of_variants(*this);
  fail_if_refused_alike(variants);
  fail(ExitCode::kUnavailable, "{}", why_none(variants));
}

const RankedCandidate* Ranking::best_but(const Candidate& candidate) const {
  for (const RankedCandidate& each : candidates)
    if (!same_variant(each.candidate, candidate))
      return each.state == CandidateState::kPredicted ? &each : nullptr;
  return nullptr;
}

double Ranking::behind(const RankedCandidate& candidate) const {
  return candidate.step_seconds / best().step_seconds - 1;
}

std::vector<Candidate> Ranking::shortlist(double tolerance, std::size_t most) const {
  std::vector<Candidate> chosen;
  for (const RankedCandidate* each : best_of_variants(*this)) {
    if (each->state != CandidateState::kPredicted || behind(*each) > tolerance) continue;
    if (chosen.size() < most) chosen.push_back(each->candidate);
  }
  return chosen;
}

std::string explanation(const Ranking& ranking) {
  const std::vector<const RankedCandidate*> variants = best_of_variants(ranking);
  std::size_t width = 0;
  for (const RankedCandidate* each : variants)
    width = std::max(width, flags_of(each->candidate).size());
  std::string text;
  for (const RankedCandidate* each : variants) {
    text += fmt::format("  {:<{}}  ", flags_of(each->candidate), width);
    if (each->state == CandidateState::kPredicted) {
      text += fmt::format("{:9.3f} ms  {:+6.1f} %  {}\n", each->step_seconds * 1e3,
                          ranking.behind(*each) * 100, each->bottleneck);
    } else {
      text += fmt::format("{}: {}\n", to_string(each->state), in_short(*each));
    }
  }
  return text;
}

}  // namespace convoy::select
