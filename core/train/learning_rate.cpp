#include "core/train/learning_rate.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/error.hpp"
#include "core/train/whole_steps.hpp"

namespace convoy::train {

LearningRateSchedule::LearningRateSchedule(const LearningRateOptions& options,
                                           const convoy_rate_rule& rule,
                                           const LearningRateContext& context)
    : offset_(static_cast<std::int64_t>(std::floor(context.sample_offset / context.batch))) {
  CONVOY_CHECK_LT(0, context.batch);
  CONVOY_CHECK_LT(0, context.examples_per_epoch);
  CONVOY_CHECK_LT(0u, context.replicas);
  check_learning_rate_options(options);
  const double steps_per_epoch = context.examples_per_epoch / context.batch;
  if (!options.piecewise_learning_rate_schedule.empty()) {
    use_piecewise(options, steps_per_epoch);
  } else if (options.init_learning_rate) {
    use_decay(options, steps_per_epoch);
  } else {
    use_rule(options, rule, context);
  }
}

void LearningRateSchedule::use_piecewise(const LearningRateOptions& options,
                                         double steps_per_epoch) {
  const PiecewiseRates schedule = parse_piecewise(options.piecewise_learning_rate_schedule);
  base_ = schedule.first_rate;
  rates_ = schedule.rates;
  for (const std::int64_t epoch : schedule.epochs) {
    starts_.push_back(whole_steps(static_cast<double>(epoch) * steps_per_epoch));
  }
  ramp_steps_ = whole_steps(options.num_learning_rate_warmup_epochs * steps_per_epoch);
}

void LearningRateSchedule::use_decay(const LearningRateOptions& options, double steps_per_epoch) {
  base_ = *options.init_learning_rate;
  if (options.num_epochs_per_decay != 0) {
    factor_ = options.learning_rate_decay_factor;
    minimum_ = options.minimum_learning_rate;
    const std::int64_t steps = whole_steps(options.num_epochs_per_decay * steps_per_epoch);
    decay_steps_ = std::max<std::int64_t>(1, steps);
  }
  ramp_steps_ = whole_steps(options.num_learning_rate_warmup_epochs * steps_per_epoch);
}

void LearningRateSchedule::use_rule(const LearningRateOptions& options,
                                    const convoy_rate_rule& rule,
                                    const LearningRateContext& context) {
  const bool scales = rule.kind == CONVOY_RATE_PIECEWISE && rule.reference_batch > 0;
  if (options.resnet_base_lr && !scales) {
    fail(ExitCode::kUsage,
         "--resnet_base_lr={}: this model's learning rate does not scale with the batch; use "
         "--init_learning_rate",
         *options.resnet_base_lr);
  }
  base_ = options.resnet_base_lr.value_or(rule.base);
  double steps_per_epoch = context.examples_per_epoch / context.batch;
  if (scales) {
    if (context.gradients_summed) base_ /= context.replicas;
    base_ *= context.batch / rule.reference_batch;
  }
  if (rule.kind == CONVOY_RATE_PIECEWISE) {
    // The rules that scale come from ImageNet networks, which count fractional steps per epoch;
    // the CIFAR-10 networks round an epoch down to whole steps.
    // Nothing is rounded where a batch is more than an epoch: all boundaries would be step 1.
    if (!scales && steps_per_epoch >= 1) steps_per_epoch = std::floor(steps_per_epoch);
    CONVOY_CHECK_LE(rule.boundaries, 8u);
    for (std::uint32_t i = 0; i < rule.boundaries; ++i) {
      // A boundary step still has the earlier rate, unlike in a schedule given by the user.
      starts_.push_back(whole_steps(rule.boundary_epochs[i] * steps_per_epoch) + 1);
      rates_.push_back(base_ * rule.multipliers[i]);
    }
    ramp_steps_ = whole_steps(rule.warmup_epochs * steps_per_epoch);
  } else if (rule.kind == CONVOY_RATE_STAIRCASE) {
    factor_ = rule.factor;
    decay_steps_ = std::max<std::int64_t>(1, whole_steps(rule.epochs_per_decay * steps_per_epoch));
  } else if (rule.kind != CONVOY_RATE_CONSTANT) {
    fail(ExitCode::kUnavailable,
         "the model's learning-rate rule has kind {}, which this convoy does not know; rebuild the "
         "model for this version, or give --init_learning_rate",
         rule.kind);
  }
}

double LearningRateSchedule::at(std::int64_t step) const {
  step += offset_;
  if (step < ramp_steps_) {
    return base_ * static_cast<double>(step) / static_cast<double>(ramp_steps_);
  }
  if (decay_steps_ > 0) {
    const std::int64_t decays = step / decay_steps_;
    return std::max(minimum_, base_ * std::pow(factor_, decays));
  }
  const auto next = std::upper_bound(starts_.begin(), starts_.end(), step);
  if (next == starts_.begin()) return base_;
  return rates_[static_cast<std::size_t>(next - starts_.begin()) - 1];
}

}  // namespace convoy::train
