#include "core/train/learning_rate.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>

#include "core/base/error.hpp"

namespace convoy {
namespace {

struct PiecewiseSchedule {
  double first_rate = 0;
  std::vector<std::int64_t> epochs;
  std::vector<double> rates;
};

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

template <typename Number>
Number parse_part(std::string_view part, std::string_view schedule, const char* what) {
  Number value{};
  const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
  if (error != std::errc() || end != part.data() + part.size() || value < 0) {
    fail(ExitCode::kUsage,
         "--piecewise_learning_rate_schedule={}: \"{}\" is not {}; the form is LR0;E1;LR1;E2;LR2, "
         "for example 0.1;30;0.01;60;0.001",
         schedule, part, what);
  }
  return value;
}

PiecewiseSchedule parse_piecewise(std::string_view text) {
  const std::vector<std::string_view> parts = split(text, ';');
  if (parts.size() % 2 == 0) {
    fail(ExitCode::kUsage,
         "--piecewise_learning_rate_schedule={}: it has {} parts; an odd number is needed, rates "
         "with the epochs between them (LR0;E1;LR1)",
         text, parts.size());
  }
  PiecewiseSchedule schedule;
  schedule.first_rate = parse_part<double>(parts[0], text, "a learning rate");
  for (std::size_t i = 1; i < parts.size(); i += 2) {
    schedule.epochs.push_back(parse_part<std::int64_t>(parts[i], text, "a whole number of epochs"));
    schedule.rates.push_back(parse_part<double>(parts[i + 1], text, "a learning rate"));
  }
  const auto& epochs = schedule.epochs;
  if (std::adjacent_find(epochs.begin(), epochs.end(), std::greater_equal<>()) != epochs.end()) {
    fail(ExitCode::kUsage, "--piecewise_learning_rate_schedule={}: the epochs must increase", text);
  }
  return schedule;
}

void check_piecewise_options(const LearningRateOptions& options) {
  if (options.init_learning_rate || options.learning_rate_decay_factor != 0 ||
      options.minimum_learning_rate != 0 || options.num_epochs_per_decay != 0) {
    fail(ExitCode::kUsage,
         "--piecewise_learning_rate_schedule is the whole schedule: leave out "
         "--init_learning_rate, --learning_rate_decay_factor, --num_epochs_per_decay and "
         "--minimum_learning_rate");
  }
  parse_piecewise(options.piecewise_learning_rate_schedule);
}

void check_decay_options(const LearningRateOptions& options) {
  const bool period = options.num_epochs_per_decay != 0;
  const bool factor = options.learning_rate_decay_factor != 0;
  const bool complete = period && factor && options.init_learning_rate;
  if ((period || factor) && !complete) {
    fail(ExitCode::kUsage,
         "exponential decay needs --init_learning_rate, --num_epochs_per_decay and "
         "--learning_rate_decay_factor together; given: {}{}{}",
         options.init_learning_rate ? "--init_learning_rate " : "",
         period ? "--num_epochs_per_decay " : "", factor ? "--learning_rate_decay_factor" : "");
  }
  if (options.minimum_learning_rate != 0 && !complete) {
    fail(ExitCode::kUsage,
         "--minimum_learning_rate is a floor under exponential decay: it needs "
         "--init_learning_rate, --num_epochs_per_decay and --learning_rate_decay_factor too");
  }
}

void check_not_negative(const char* flag, double value) {
  if (!(value >= 0) || !std::isfinite(value)) {
    fail(ExitCode::kUsage, "--{}={}: it must be a number that is not negative", flag, value);
  }
}

std::int64_t whole_steps(double steps) {
  return static_cast<std::int64_t>(steps);
}

}  // namespace

void check_learning_rate_options(const LearningRateOptions& options) {
  check_not_negative("init_learning_rate", options.init_learning_rate.value_or(0));
  check_not_negative("num_epochs_per_decay", options.num_epochs_per_decay);
  check_not_negative("learning_rate_decay_factor", options.learning_rate_decay_factor);
  check_not_negative("num_learning_rate_warmup_epochs", options.num_learning_rate_warmup_epochs);
  check_not_negative("minimum_learning_rate", options.minimum_learning_rate);
  check_not_negative("resnet_base_lr", options.resnet_base_lr.value_or(0));
  const bool piecewise = !options.piecewise_learning_rate_schedule.empty();
  if (piecewise) {
    check_piecewise_options(options);
  } else {
    check_decay_options(options);
  }
  const bool explicit_rate = piecewise || options.init_learning_rate;
  if (options.num_learning_rate_warmup_epochs != 0 && !explicit_rate) {
    fail(ExitCode::kUsage,
         "--num_learning_rate_warmup_epochs needs --init_learning_rate or "
         "--piecewise_learning_rate_schedule; a model's own rule has its own warm-up");
  }
  if (options.resnet_base_lr && explicit_rate) {
    fail(ExitCode::kUsage,
         "--resnet_base_lr changes the model's own rule, which --init_learning_rate and "
         "--piecewise_learning_rate_schedule replace: give one of them");
  }
}

LearningRateSchedule::LearningRateSchedule(const LearningRateOptions& options,
                                           const convoy_rate_rule& rule,
                                           const LearningRateContext& context) {
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
  const PiecewiseSchedule schedule = parse_piecewise(options.piecewise_learning_rate_schedule);
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
    if (!scales) steps_per_epoch = std::floor(steps_per_epoch);
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

}  // namespace convoy
