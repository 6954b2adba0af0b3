#pragma once

#include <map>
#include <vector>

#include "core/plan/plan.hpp"
#include "core/runtime/executor.hpp"
#include "core/runtime/step_breakdown.hpp"

namespace convoy::runtime {

struct TimeInterval {
  double start = 0;  // seconds, on the devices' clock
  double end = 0;
};

// The part of a plan's steps that this host runs.
struct PartOfSteps {
  std::uint32_t host = 0;
  std::vector<std::uint32_t> replicas;
  std::size_t operations = 0;
};

// Adds up the reports of finished steps. Operations of the next step may run before a step has
// ended, so a step is counted when the next one is finished. Not thread-safe.
class BreakdownMeter {
 public:
  BreakdownMeter(const plan::Plan& lowered, const PartOfSteps& part);

  // Operations reported from now on belong to this plan, which has as many replicas.
  void use_plan(const plan::Plan& lowered) { plan_ = &lowered; }
  void waited_for_input(const TimeInterval& wait) { waits_.push_back(wait); }
  // Adds the operations of a step and its time, which is empty for warm-up steps.
  void finished(const std::vector<OperationTime>& operations, const TimeInterval& step);
  // Returns the mean of all steps so far, the last one included.
  StepBreakdown mean_step() const;

 private:
  void account(const TimeInterval& step, StepBreakdown& sums) const;
  double covered(const TimeInterval& window) const;
  void forget_before(double time);

  const plan::Plan* plan_;
  std::uint32_t host_;
  std::size_t replicas_;
  std::vector<std::vector<TimeInterval>> compute_;                // per replica
  std::vector<TimeInterval> running_;                             // operations of all devices
  std::map<std::uint32_t, std::vector<TimeInterval>> under_way_;  // transfers between hosts, by the
                                                                  // number of the other host
  std::vector<TimeInterval> waits_;
  TimeInterval open_;                         // the step that is not accounted for yet
  StepBreakdown sums_;                        // sums over the steps that are accounted for
  mutable std::vector<TimeInterval> sorted_;  // memory that serves every step
};

}  // namespace convoy::runtime
