#include "core/runtime/step_breakdown.hpp"

#include <algorithm>

namespace convoy {
namespace {

// How much of the window the intervals cover together.
double covered(std::vector<TimeInterval> intervals, const TimeInterval& window) {
  std::ranges::sort(intervals, {}, &TimeInterval::start);
  double sum = 0;
  double until = window.start;
  for (const TimeInterval& interval : intervals) {
    const double start = std::max(interval.start, until);
    const double end = std::min(interval.end, window.end);
    if (end <= start) continue;
    sum += end - start;
    until = end;
  }
  return sum;
}

}  // namespace

BreakdownMeter::BreakdownMeter(const Plan& lowered)
    : plan_(lowered), compute_(lowered.cluster->replicas()) {}

void BreakdownMeter::finished(const std::vector<OperationTime>& operations,
                              const TimeInterval& step) {
  const bool counts = step.end > step.start;
  for (const OperationTime& time : operations) {
    const Operation& operation = plan_.body.at(time.operation - plan_.prologue.size());
    const TimeInterval interval{time.timing.start, time.timing.end};
    running_.push_back(interval);
    if (is_compute(operation.kind)) compute_.at(operation.replica).push_back(interval);
    if (!counts) continue;
    StepBreakdown::OfKind& kind = total_.kinds[operation.kind];
    ++kind.operations;
    kind.seconds += interval.end - interval.start;
  }
  account(open_, total_);
  forget_before(counts ? step.start : open_.end);
  open_ = step;
}

StepBreakdown BreakdownMeter::total() const {
  StepBreakdown total = total_;
  account(open_, total);
  return total;
}

void BreakdownMeter::account(const TimeInterval& step, StepBreakdown& total) const {
  const double seconds = step.end - step.start;
  if (seconds <= 0) return;
  const double busy = covered(running_, step);
  std::vector<TimeInterval> busy_or_waiting = running_;
  busy_or_waiting.insert(busy_or_waiting.end(), waits_.begin(), waits_.end());
  const double explained = covered(std::move(busy_or_waiting), step);
  double computing = 0;
  for (const std::vector<TimeInterval>& device : compute_) computing += covered(device, step);
  computing /= static_cast<double>(compute_.size());
  ++total.steps;
  total.seconds += seconds;
  total.compute += computing;
  total.aggregation += busy - computing;
  total.input_wait += explained - busy;
  total.executor += seconds - explained;
}

void BreakdownMeter::forget_before(double time) {
  const auto forget = [time](std::vector<TimeInterval>& intervals) {
    std::erase_if(intervals, [time](const TimeInterval& interval) { return interval.end <= time; });
  };
  for (std::vector<TimeInterval>& device : compute_) forget(device);
  forget(running_);
  forget(waits_);
}

}  // namespace convoy
