#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "core/plan/check/class_judge.hpp"
#include "core/plan/check/period_flow.hpp"

namespace convoy::check {
namespace {

constexpr std::size_t kFadingPeriods = 64;  // periods in which momentum shows how it fades

}  // namespace

// If a single update divides by the number of gradients of several computes, these gradients count
// once when they count as in the mean over all of them.
std::uint64_t ClassJudge::computes_of_a_mean() const {
  std::map<std::uint32_t, std::set<std::uint32_t>> updates;  // of a buffer
  std::set<std::uint64_t> divisors;
  for (const LinearApply& apply : applies_) {
    const auto updated = [&](const PeriodState& state) {
      return state.buffer == apply.target && state.range.first >= apply.range.first &&
             state.range.first < apply.range.first + apply.range.count;
    };
    if (std::ranges::none_of(it_.states, updated)) continue;
    updates[apply.target].insert(apply.operation);
    divisors.insert(apply.contributions);
  }
  if (divisors.size() != 1) return 1;
  std::size_t most = 1;
  for (const auto& [unused, operations] : updates) most = std::max(most, operations.size());
  const std::uint64_t computes = plan_.computes / most;
  const std::uint64_t sources = report_.alone ? 1 : plan_.cluster->replicas();
  const bool is_mean = computes * most == plan_.computes && *divisors.begin() == computes * sources;
  return is_mean ? computes : 1;
}

// Every gradient counts `total` times its weight in a mean. More than once is right only for
// momentum: the later contributions of a gradient decay like the powers of some b, and add up to at
// most 1 / (1 - b) times. Less than once is right where parameters are averaged.
void ClassJudge::judge_total(const FieldMatrix& weights) {
  std::uint64_t first = 0;
  for (std::size_t g = 0; first == 0 && g < gradients_.size(); ++g) first = weights.at(0, g);
  report_.means_over = computes_of_a_mean();
  const std::uint64_t total = field_multiply(
      counted(first, report_.alone ? 1 : plan_.cluster->replicas()), report_.means_over);
  report_.total = total;
  report_.counts = number_of(total);
  report_.counts_once = total == 1;
  const PeriodRead& any = it_.reads.front();
  const double counts = report_.counts;
  if (report_.counts_once || (counts > 0 && counts < 1 && averages_parameters(it_))) return;
  if (counts < 1)
    return add(FindingKind::kScaled, any, any.replica,
               fmt::format("every gradient counts {:.6g} times in the end, not once", counts));
  const std::vector<Weight> response = responses(it_, kFadingPeriods);
  const std::uint64_t decay = field_add(1, kPrime - field_inverse(total));  // 1 - 1 / total
  if (fades_by(response, field_power(decay, plan_.computes))) return;
  const double fading = fading_rate(response);
  // Momentum between periods, or between the computes of one.
  const double each = std::pow(fading, 1.0 / plan_.computes);
  if (fading > 0 && fading < 1 &&
      (counts * (1 - fading) < 1 + 1e-6 || std::fabs(counts * (1 - each) - 1) < 1e-6))
    return;
  const bool in_full = std::fabs(counts - plan_.cluster->replicas()) < 1e-9;
  add(in_full ? FindingKind::kUnknown : FindingKind::kDoubled, any, any.replica,
      fmt::format("every gradient counts {:.6g} times in the end, not once{}", counts,
                  in_full ? ", as if the replicas' updates were added where a mean is meant" : ""));
}

}  // namespace convoy::check
