#pragma once

#include <map>
#include <vector>

#include "core/plan/plan.hpp"
#include "core/runtime/executor.hpp"

namespace convoy {

struct TimeInterval {
  double start = 0;  // seconds, on the devices' clock
  double end = 0;
};

// Where the time of steps went on this host, in seconds, averaged over its devices. The five parts
// add up to the steps' time.
struct StepBreakdown {
  struct OfKind {
    std::int64_t operations = 0;
    double seconds = 0;  // of all devices and hosts together
  };

  std::int64_t steps = 0;
  double seconds = 0;
  double compute = 0;      // the device ran forward or backward
  double aggregation = 0;  // it did not, but something else ran: copies, sums, updates, or another
                           // device that this one has to wait for
  double network = 0;      // nothing ran and something was on its way from or to another host
  double input_wait = 0;   // nothing ran and the host waited for a batch
  double executor = 0;     // nothing ran for no such reason: gaps between operations
  std::map<OperationKind, OfKind> kinds;
  // Of `network`, by the other host; when several were waited for, it counts for each of them.
  std::map<std::uint32_t, double> network_by_host;
};

// What of a plan's steps this host runs.
struct PartOfSteps {
  std::uint32_t host = 0;
  std::vector<std::uint32_t> replicas;
  std::size_t operations = 0;
};

// Adds up what finished steps report. Operations of the next step may run before a step has ended,
// so a step is accounted for when the next one is finished. Not thread-safe.
class BreakdownMeter {
 public:
  BreakdownMeter(const Plan& lowered, const PartOfSteps& part);

  // The operations of later steps are those of this plan, for as many replicas.
  void use_plan(const Plan& lowered) { plan_ = &lowered; }
  void waited_for_input(const TimeInterval& wait) { waits_.push_back(wait); }
  // The operations of a step, and its time when it counts (warm-up steps have an empty one).
  void finished(const std::vector<OperationTime>& operations, const TimeInterval& step);
  // Including the last step.
  StepBreakdown total() const;

 private:
  void account(const TimeInterval& step, StepBreakdown& total) const;
  double covered(const TimeInterval& window) const;
  void forget_before(double time);

  const Plan* plan_;
  std::uint32_t host_;
  std::size_t replicas_;
  std::vector<std::vector<TimeInterval>> compute_;                // per replica
  std::vector<TimeInterval> running_;                             // all operations of devices
  std::map<std::uint32_t, std::vector<TimeInterval>> under_way_;  // between hosts, by the other one
  std::vector<TimeInterval> waits_;
  TimeInterval open_;  // the step that is still to be accounted for
  StepBreakdown total_;
  mutable std::vector<TimeInterval> sorted_;  // memory that serves every step
};

}  // namespace convoy
