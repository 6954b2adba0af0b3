#include "core/runtime/step_breakdown.hpp"

#include <algorithm>

#include "core/plan/schedule/local_schedule.hpp"

namespace convoy {
BreakdownMeter::BreakdownMeter(const Plan& lowered, const PartOfSteps& part)
    : plan_(&lowered),
      host_(part.host),
      replicas_(part.replicas.size()),
      compute_(lowered.cluster->replicas()) {
  // Of at most the open step, the one before and the one after, and some waits.
  const std::size_t most = 3 * part.operations + 64;
  for (const std::uint32_t replica : part.replicas) compute_.at(replica).reserve(most);
  for (auto* intervals : {&running_, &waits_, &sorted_}) intervals->reserve(most);
}

void BreakdownMeter::finished(const std::vector<OperationTime>& operations,
                              const TimeInterval& step) {
  const bool counts = step.end > step.start;
  for (const OperationTime& time : operations) {
    const Operation& operation = plan_->body.at(time.operation - plan_->prologue.size());
    const TimeInterval interval{time.timing.start, time.timing.end};
    const bool crosses = operation.lane == kNetworkLane;
    (crosses ? under_way_[network_end(*plan_, operation, host_).peer] : running_)
        .push_back(interval);
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

// How much of the window the intervals in sorted_, which it sorts, cover together.
double BreakdownMeter::covered(const TimeInterval& window) const {
  std::ranges::sort(sorted_, {}, &TimeInterval::start);
  double sum = 0;
  double until = window.start;
  for (const TimeInterval& interval : sorted_) {
    const double start = std::max(interval.start, until);
    const double end = std::min(interval.end, window.end);
    if (end <= start) continue;
    sum += end - start;
    until = end;
  }
  return sum;
}

void BreakdownMeter::account(const TimeInterval& step, StepBreakdown& total) const {
  const double seconds = step.end - step.start;
  if (seconds <= 0) return;
  sorted_ = running_;
  const double busy = covered(step);
  for (const auto& [host, intervals] : under_way_) {
    sorted_ = running_;
    sorted_.insert(sorted_.end(), intervals.begin(), intervals.end());
    total.network_by_host[host] += covered(step) - busy;
  }
  sorted_ = running_;
  for (const auto& [host, intervals] : under_way_)
    sorted_.insert(sorted_.end(), intervals.begin(), intervals.end());
  const double with_network = covered(step);
  sorted_.insert(sorted_.end(), waits_.begin(), waits_.end());
  const double explained = covered(step);
  double computing = 0;
  for (const std::vector<TimeInterval>& device : compute_) {
    sorted_ = device;
    computing += covered(step);
  }
  computing /= static_cast<double>(std::max<std::size_t>(replicas_, 1));
  ++total.steps;
  total.seconds += seconds;
  total.compute += computing;
  total.aggregation += busy - computing;
  total.network += with_network - busy;
  total.input_wait += explained - with_network;
  total.executor += seconds - explained;
}

void BreakdownMeter::forget_before(double time) {
  const auto forget = [time](std::vector<TimeInterval>& intervals) {
    std::erase_if(intervals, [time](const TimeInterval& interval) { return interval.end <= time; });
  };
  for (std::vector<TimeInterval>& device : compute_) forget(device);
  forget(running_);
  for (auto& [host, intervals] : under_way_) forget(intervals);
  forget(waits_);
}

}  // namespace convoy
