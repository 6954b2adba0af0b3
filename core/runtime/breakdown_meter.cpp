#include "core/runtime/breakdown_meter.hpp"

#include <algorithm>
#include <string_view>

#include "core/plan/schedule/local_schedule.hpp"

namespace convoy::runtime {

BreakdownMeter::BreakdownMeter(const plan::Plan& lowered, const PartOfSteps& part)
    : plan_(&lowered),
      host_(part.host),
      replicas_(part.replicas.size()),
      compute_(lowered.cluster->replicas()) {
  // At most the intervals of three steps (the open one, the previous and the next one), and some
  // waits.
  const std::size_t most = 3 * part.operations + 64;
  for (const std::uint32_t replica : part.replicas) compute_.at(replica).reserve(most);
  for (auto* intervals : {&running_, &waits_, &sorted_}) intervals->reserve(most);
}

void BreakdownMeter::finished(const std::vector<OperationTime>& operations,
                              const TimeInterval& step) {
  const bool counts = step.end > step.start;
  for (const OperationTime& time : operations) {
    const plan::Operation& operation = plan_->body.at(time.operation - plan_->prologue.size());
    const TimeInterval interval{time.timing.start, time.timing.end};
    const bool crosses = operation.lane == plan::kNetworkLane;
    (crosses ? under_way_[plan::network_end(*plan_, operation, host_).peer] : running_)
        .push_back(interval);
    if (plan::is_compute(operation.kind)) compute_.at(operation.replica).push_back(interval);
    if (!counts) continue;
    const std::string_view name = plan::operation_name(operation.kind);
    auto kind = sums_.operations.find(name);
    if (kind == sums_.operations.end())
      kind = sums_.operations.try_emplace(std::string(name)).first;
    ++kind->second.per_step;
    kind->second.seconds += interval.end - interval.start;
  }
  account(open_, sums_);
  forget_before(counts ? step.start : open_.end);
  open_ = step;
}

StepBreakdown BreakdownMeter::mean_step() const {
  StepBreakdown mean = sums_;
  account(open_, mean);
  const double steps = static_cast<double>(std::max<std::int64_t>(mean.steps, 1));
  for (double* seconds : {&mean.seconds, &mean.compute, &mean.aggregation, &mean.network,
                          &mean.input_wait, &mean.executor})
    *seconds /= steps;
  for (auto& [host, seconds] : mean.network_by_host) seconds /= steps;
  for (auto& [kind, sum] : mean.operations) sum = {sum.per_step / steps, sum.seconds / steps};
  return mean;
}

// Returns how much of the window the intervals in sorted_ cover together. Sorts them.
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

void BreakdownMeter::account(const TimeInterval& step, StepBreakdown& sums) const {
  const double seconds = step.end - step.start;
  if (seconds <= 0) return;
  sorted_ = running_;
  const double busy = covered(step);
  for (const auto& [host, intervals] : under_way_) {
    sorted_ = running_;
    sorted_.insert(sorted_.end(), intervals.begin(), intervals.end());
    sums.network_by_host[host] += covered(step) - busy;
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
  ++sums.steps;
  sums.seconds += seconds;
  sums.compute += computing;
  sums.aggregation += busy - computing;
  sums.network += with_network - busy;
  sums.input_wait += explained - with_network;
  sums.executor += seconds - explained;
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

}  // namespace convoy::runtime
