#include "core/select/trial_schedule.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/error.hpp"
#include "core/base/numbers/statistics.hpp"

namespace convoy::select {
namespace {

constexpr std::int64_t kFewestTurns = 2;  // for each candidate, because a single turn may be chance
constexpr std::int64_t kWarmUp = 1;       // a further step of the first turn does not count

// After one round, a candidate drops out only if each of its steps is slower by this factor.
constexpr double kFarBehind = 1.25;
// Later, the means of two candidates must differ by this many standard errors of their difference.
// With the fewest steps, four of each, chance does that once in 800 times.
constexpr double kStandardErrors = 5;

double sum_of_squares(const std::vector<double>& values) {
  const double middle = mean(values);
  double sum = 0;
  for (const double value : values) sum += (value - middle) * (value - middle);
  return sum;
}

// Returns the standard error of the difference of the means, if both have the same variance. Each
// needs at least two values.
double error_of_difference(const std::vector<double>& a, const std::vector<double>& b) {
  const auto count_a = static_cast<double>(a.size());
  const auto count_b = static_cast<double>(b.size());
  const double variance = (sum_of_squares(a) + sum_of_squares(b)) / (count_a + count_b - 2);
  return std::sqrt(variance * (1 / count_a + 1 / count_b));
}

}  // namespace

std::size_t most_tried(std::size_t candidates, std::int64_t steps) {
  const std::int64_t usable = std::min(steps, kMostTrialSteps) - kWarmUp;
  const auto most =
      static_cast<std::size_t>(std::max<std::int64_t>(0, usable / (2 * kFewestTurns)));
  const std::size_t tried = std::min(candidates, most);
  return tried < 2 ? 0 : tried;
}

TrialSchedule::TrialSchedule(std::size_t candidates, std::int64_t most_steps)
    : most_steps_(std::min(most_steps, kMostTrialSteps)), seconds_(candidates) {
  CONVOY_CHECK(candidates >= 2 && most_tried(candidates, most_steps) == candidates);
  const auto per_candidate =
      (most_steps_ - kWarmUp) / (kFewestTurns * static_cast<std::int64_t>(candidates));
  counted_per_turn_ = std::clamp<std::int64_t>(per_candidate - 1, 1, kMostCounted);
  for (std::size_t i = 0; i < candidates; ++i) order_.push_back(i);
}

std::int64_t TrialSchedule::turn_steps() const {
  return 1 + (begun_ == 0 ? kWarmUp : 0) + counted_per_turn_;
}

void TrialSchedule::add(double seconds) {
  CONVOY_CHECK(!over_);
  const std::int64_t in_turn = ++steps_ - begun_;
  if (in_turn > turn_steps() - counted_per_turn_) seconds_[current()].push_back(seconds);
  if (in_turn == turn_steps()) end_turn();
}

void TrialSchedule::drop_current() {
  CONVOY_CHECK(!over_);
  seconds_[current()].clear();
  order_.erase(order_.begin() + static_cast<std::ptrdiff_t>(turn_));
  begun_ = steps_;
  if (order_.size() < 2)
    over_ = true;
  else if (turn_ == order_.size())
    end_round();
}

void TrialSchedule::end_turn() {
  begun_ = steps_;
  if (++turn_ == order_.size()) end_round();
}

void TrialSchedule::end_round() {
  ++rounds_;
  turn_ = 0;
  const std::size_t best = winner();
  std::erase_if(order_, [&](std::size_t each) { return clearly_slower(each, best); });
  const std::int64_t left = most_steps_ - steps_;
  const auto in_round = static_cast<std::int64_t>(order_.size());
  counted_per_turn_ = std::min(counted_per_turn_, left / in_round - 1);
  over_ = order_.size() < 2 || counted_per_turn_ < 1;
}

// Returns whether the candidate is slower by more than the scatter of the steps explains, after
// several rounds.
bool TrialSchedule::clearly_slower(std::size_t candidate, std::size_t than) const {
  if (candidate == than) return false;
  const std::vector<double>& slow = seconds_[candidate];
  const std::vector<double>& fast = seconds_[than];
  const double fastest = *std::min_element(slow.begin(), slow.end());
  if (fastest > kFarBehind * *std::max_element(fast.begin(), fast.end())) return true;
  if (rounds_ < kFewestTurns) return false;
  const double behind = mean(slow) - (1 + kTie) * mean(fast);
  return behind > kStandardErrors * error_of_difference(slow, fast);
}

double TrialSchedule::median(std::size_t candidate) const {
  return seconds_.at(candidate).empty() ? 0 : convoy::median(seconds_[candidate]);
}

std::size_t TrialSchedule::winner() const {
  double least = 0;
  for (const std::size_t each : order_)
    if (counted(each) > 0 && (least == 0 || median(each) < least)) least = median(each);
  for (const std::size_t each : order_)
    if (counted(each) > 0 && median(each) <= least * (1 + kTie)) return each;
  return order_.front();
}

}  // namespace convoy::select
