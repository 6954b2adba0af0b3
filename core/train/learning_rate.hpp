#pragma once

#include <convoy/abi.h>

#include <cstdint>
#include <vector>

#include "core/train/learning_rate_options.hpp"

namespace convoy::train {

// The run that a schedule is for.
struct LearningRateContext {
  double batch = 0;               // examples per step, all replicas together
  double examples_per_epoch = 0;  // size of the training split
  std::uint32_t replicas = 1;
  // --gradient_scale=sum: gradients are added up, so a rule that scales with the batch divides its
  // base by the number of replicas. With the mean, convoy's default, nothing is divided.
  bool gradients_summed = false;
  // Training images taken before step 0 beyond those that the step numbers account for; negative if
  // fewer. A run that continues another one with a different batch size has such an offset.
  double sample_offset = 0;
};

// The learning rate of every step, evaluated on the host. Priority: piecewise schedule, then
// init_learning_rate with its optional staircase decay, then the model's rule. Steps count from 0
// and include warm-up steps. The images taken so far determine the position in the schedule.
class LearningRateSchedule {
 public:
  LearningRateSchedule(const LearningRateOptions& options, const convoy_rate_rule& rule,
                       const LearningRateContext& context);

  double at(std::int64_t step) const;

 private:
  void use_piecewise(const LearningRateOptions& options, double steps_per_epoch);
  void use_decay(const LearningRateOptions& options, double steps_per_epoch);
  void use_rule(const LearningRateOptions& options, const convoy_rate_rule& rule,
                const LearningRateContext& context);

  std::int64_t offset_ = 0;  // the schedule's step minus the run's step
  double base_ = 0;
  // Piecewise part: rates_[i] holds from step starts_[i], base_ before.
  std::vector<std::int64_t> starts_;
  std::vector<double> rates_;
  // Staircase part: base_ * factor_ ^ floor(step / decay_steps_), not below minimum_.
  std::int64_t decay_steps_ = 0;
  double factor_ = 1;
  double minimum_ = 0;
  // The rate rises linearly from 0 to base_ over this many steps.
  std::int64_t ramp_steps_ = 0;
};

}  // namespace convoy::train
