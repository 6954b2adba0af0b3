#include "core/plan/check/recurrence/impulse_response.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace convoy::plan::check {
namespace {

constexpr std::uint64_t kLongestDelay = 64;  // periods
constexpr std::size_t kFadingPeriods = 64;   // periods in which momentum shows how it fades
constexpr std::size_t kSettledIn = 8;        // periods before the fading is measured

// Like times(), but the field does not decide whether the sum is zero. After many periods, a field
// element may wrap around, because the 61st power of 2 is 1.
Weight number_and_field(const LinearRow& row, const std::vector<Weight>& held) {
  Weight sum{0, 0};
  for (const Addend& it : row) sum = sum + it.weight * held[it.index];
  return sum;
}

// Returns the impulse response: how much of one period's gradients the mean of all reads contains
// 0, 1, 2, ... periods later.
std::vector<Weight> responses(const LinearSystem& it, std::size_t periods) {
  std::vector<Weight> held(it.states.size(), Weight{0, 0});
  for (std::size_t i = 0; i < held.size(); ++i)
    for (const Addend& gradient : it.gradients[i]) held[i] = held[i] - gradient.weight;
  std::vector<Weight> result;
  for (std::size_t t = 0; t < periods; ++t) {
    Weight sum{0, 0};
    for (const PeriodRead& read : it.reads) sum = sum + number_and_field(read.states, held);
    result.push_back(sum * reciprocal(it.reads.size()));
    std::vector<Weight> next;
    next.reserve(it.step.size());
    for (const LinearRow& row : it.step) next.push_back(number_and_field(row, held));
    held = std::move(next);
  }
  return result;
}

Weight change_at(const std::vector<Weight>& response, std::size_t period) {
  return response[period + 1] - response[period];
}

// Returns the magnitudes of the changes after the first kSettledIn periods.
std::vector<double> settled_changes(const std::vector<Weight>& response) {
  std::vector<double> changes;
  for (std::size_t t = kSettledIn; t + 1 < response.size(); ++t)
    changes.push_back(std::fabs(change_at(response, t).value));
  return changes;
}

// Returns the mean factor by which the largest of all later changes shrinks, as long as one is
// above `least`; 1 if only the first one is.
double fading_of_largest(std::vector<double> changes, double least) {
  for (std::size_t t = changes.size() - 1; t-- > 0;)
    changes[t] = std::max(changes[t], changes[t + 1]);
  std::size_t last = 0;
  while (last + 2 < changes.size() && changes[last + 1] > least) ++last;
  return last == 0 ? 1 : std::pow(changes[last] / changes[0], 1 / static_cast<double>(last));
}

// Returns the factor by which changes of a response shrink from one period to the next, once it has
// settled in; 0 if nothing changes any more. Changes that pass zero, because two parts of them fade
// at different rates, grow for a while. Then it is the mean factor of the largest ones.
double fading_rate(const std::vector<Weight>& response) {
  const double least = 1e-9 * std::fabs(response.back().value);
  const std::vector<double> changes = settled_changes(response);
  double rate = 0;
  for (std::size_t t = 0; t + 1 < changes.size(); ++t)
    if (changes[t] > least) rate = std::max(rate, changes[t + 1] / changes[t]);
  return rate < 1 ? rate : fading_of_largest(changes, least);
}

// Whether the changes shrink by exactly this factor, an element of the field. So neither rounding
// nor changes that are too small to measure affect the result.
bool fades_by(const std::vector<Weight>& response, std::uint64_t rate) {
  for (std::size_t t = kSettledIn; t + 2 < response.size(); ++t) {
    const Weight change = change_at(response, t);
    const Weight next = change_at(response, t + 1);
    if (change.is_zero() || next.field != field_multiply(change.field, rate)) return false;
  }
  return true;
}

// If every change is a times the previous one plus b times the one before that, returns the roots
// of x^2 = a x + b, if both are between 0 and 1. Only the roots are rounded.
std::optional<std::pair<double, double>> two_fading_rates(const std::vector<Weight>& response) {
  const auto change = [&](std::size_t t) { return change_at(response, t).field; };
  const auto minor = [](std::uint64_t a, std::uint64_t b, std::uint64_t c, std::uint64_t d) {
    return field_subtract(field_multiply(a, d), field_multiply(b, c));
  };
  const std::uint64_t c[] = {change(kSettledIn), change(kSettledIn + 1), change(kSettledIn + 2),
                             change(kSettledIn + 3)};
  const std::uint64_t both = minor(c[1], c[0], c[2], c[1]);
  if (both == 0) return std::nullopt;
  const std::uint64_t a = field_divide(minor(c[2], c[0], c[3], c[1]), both);
  const std::uint64_t b = field_divide(minor(c[1], c[2], c[2], c[3]), both);
  for (std::size_t t = kSettledIn; t + 3 < response.size(); ++t)
    if (change(t + 2) != field_add(field_multiply(a, change(t + 1)), field_multiply(b, change(t))))
      return std::nullopt;
  const double half = number_of(a) / 2;
  const double square = half * half + number_of(b);
  if (!(square >= 0)) return std::nullopt;
  const std::pair rates{half + std::sqrt(square), half - std::sqrt(square)};
  const bool fade = rates.first < 1 && rates.second > 0;
  return fade ? std::optional(rates) : std::nullopt;
}

}  // namespace

Weight times(const LinearRow& row, const std::vector<Weight>& held) {
  Weight sum{0, 0};
  for (const Addend& it : row) {
    sum = sum + it.weight * held[it.index];
    if (sum.is_zero()) sum.value = 0;  // the field decides
  }
  return sum;
}

std::vector<Weight> next_period(const LinearSystem& it, const std::vector<Weight>& held) {
  std::vector<Weight> next;
  next.reserve(it.step.size());
  for (const LinearRow& row : it.step) next.push_back(times(row, held));
  return next;
}

bool counts_by_momentum(const LinearSystem& it, std::uint64_t total, std::uint64_t updates) {
  const double counts = number_of(total);
  const std::vector<Weight> response = responses(it, kFadingPeriods);
  const std::uint64_t decay = field_subtract(1, field_inverse(total));  // 1 - 1 / total
  if (fades_by(response, field_power(decay, updates))) return true;
  const double fading = fading_rate(response);
  // The momentum may act between periods, or between the updates of one period.
  const double each = std::pow(fading, 1.0 / static_cast<double>(updates));
  return fading > 0 && fading < 1 &&
         (counts * (1 - fading) < 1 + 1e-6 || std::fabs(counts * (1 - each) - 1) < 1e-6);
}

bool may_count_by_two_momenta(const LinearSystem& it, std::uint64_t total, std::uint64_t updates) {
  const auto rates = two_fading_rates(responses(it, kFadingPeriods));
  if (!rates) return false;
  double most = 1;
  for (const double rate : {rates->first, rates->second})
    most /= 1 - std::pow(rate, 1.0 / static_cast<double>(updates));
  return number_of(total) < most * (1 + 1e-6);
}

std::uint64_t periods_to_arrive(const LinearSystem& it, std::uint32_t gradient,
                                std::optional<std::uint32_t> only_replica,
                                const ValueTable& budget) {
  std::vector<Weight> held(it.states.size(), Weight{0, 0});
  for (std::size_t i = 0; i < held.size(); ++i)
    for (const Addend& part : it.gradients[i])
      if (part.index == gradient) held[i] = part.weight;
  for (std::uint64_t period = 0;; ++period) {
    budget.spend(it.states.size(), it.reads.front().operation);
    const bool arrived = std::ranges::all_of(it.reads, [&](const PeriodRead& read) {
      return (only_replica && read.replica != *only_replica) || !times(read.states, held).is_zero();
    });
    if (arrived || period + 1 == kLongestDelay) return period;
    held = next_period(it, held);
  }
}

bool averages_parameters(const LinearSystem& it) {
  return std::ranges::any_of(it.step, [&](const LinearRow& row) {
    return std::ranges::count_if(
               row, [&](const Addend& part) { return !it.start[part.index].is_zero(); }) > 1;
  });
}

}  // namespace convoy::plan::check
