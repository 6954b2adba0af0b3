#include "core/train/learning_rate.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>

#include "core/base/error.hpp"

namespace convoy {
namespace {

// Python's int() on a positive quotient, which the published boundaries rely on.
std::int64_t whole(double value) {
  return static_cast<std::int64_t>(value);
}

struct PiecewiseText {
  std::vector<double> rates;
  std::vector<std::int64_t> epochs;
};

template <typename Number>
Number parse_part(std::string_view part, std::string_view schedule, const char* what) {
  Number value{};
  const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
  if (error != std::errc{} || end != part.data() + part.size() || !(value >= 0)) {
    fail(ExitCode::kUsage,
         "--piecewise_learning_rate_schedule={}: '{}' is not {}; write rate;epoch;rate;... such as "
         "0.1;30;0.01;60;0.001",
         schedule, part, what);
  }
  return value;
}

PiecewiseText parse_piecewise(std::string_view schedule) {
  PiecewiseText result;
  std::string_view rest = schedule;
  for (bool is_rate = true;; is_rate = !is_rate) {
    const auto semicolon = rest.find(';');
    const std::string_view part = rest.substr(0, semicolon);
    if (is_rate) {
      result.rates.push_back(parse_part<double>(part, schedule, "a learning rate"));
    } else {
      result.epochs.push_back(parse_part<std::int64_t>(part, schedule, "a whole number of epochs"));
    }
    if (semicolon == std::string_view::npos) break;
    rest = rest.substr(semicolon + 1);
  }
  if (result.rates.size() != result.epochs.size() + 1) {
    fail(ExitCode::kUsage,
         "--piecewise_learning_rate_schedule={}: {} parts, but it starts and ends with a rate, so "
         "their number must be odd",
         schedule, result.rates.size() + result.epochs.size());
  }
  if (!std::is_sorted(result.epochs.begin(), result.epochs.end(), std::less_equal<>())) {
    fail(ExitCode::kUsage, "--piecewise_learning_rate_schedule={}: its epochs must increase",
         schedule);
  }
  return result;
}

bool given(const std::optional<double>& value) {
  return value.has_value() && *value != 0;
}

void refuse_with_schedule(bool is_given, const char* flag) {
  if (is_given) {
    fail(ExitCode::kUsage,
         "--piecewise_learning_rate_schedule sets the whole schedule and excludes --{}; drop one",
         flag);
  }
}

void validate_decay(const LearningRateOptions& options) {
  const bool epochs = given(options.num_epochs_per_decay);
  const bool factor = given(options.decay_factor);
  const bool complete = epochs && factor && options.init_learning_rate.has_value();
  if ((epochs || factor) && !complete) {
    fail(ExitCode::kUsage,
         "exponential decay needs --init_learning_rate, --num_epochs_per_decay and "
         "--learning_rate_decay_factor together; one is missing");
  }
  if (given(options.minimum) && !complete) {
    fail(ExitCode::kUsage,
         "--minimum_learning_rate is the floor of exponential decay; it needs "
         "--init_learning_rate, --num_epochs_per_decay and --learning_rate_decay_factor");
  }
}

}  // namespace

void validate(const LearningRateOptions& options) {
  if (options.piecewise_schedule) {
    refuse_with_schedule(options.init_learning_rate.has_value(), "init_learning_rate");
    refuse_with_schedule(given(options.num_epochs_per_decay), "num_epochs_per_decay");
    refuse_with_schedule(given(options.decay_factor), "learning_rate_decay_factor");
    refuse_with_schedule(given(options.minimum), "minimum_learning_rate");
    parse_piecewise(*options.piecewise_schedule);
    return;
  }
  validate_decay(options);
  if (given(options.warmup_epochs) && !options.init_learning_rate) {
    fail(ExitCode::kUsage,
         "--num_learning_rate_warmup_epochs needs a rate to climb to: give --init_learning_rate or "
         "--piecewise_learning_rate_schedule (the model's own rule brings its own warm-up)");
  }
}

LearningRateSchedule::LearningRateSchedule(const LearningRateOptions& options,
                                           const LearningRateRule& rule,
                                           const LearningRateContext& context) {
  validate(options);
  CONVOY_CHECK(context.batch > 0 && context.examples_per_epoch > 0 && context.replicas > 0);
  if (!options.piecewise_schedule && !options.init_learning_rate) {
    follow_rule(options, rule, context);
    return;
  }
  const double steps_per_epoch = context.examples_per_epoch / context.batch;
  if (options.piecewise_schedule) {
    follow_pieces(*options.piecewise_schedule, steps_per_epoch);
  } else {
    last_rate_ = *options.init_learning_rate;
    if (given(options.num_epochs_per_decay)) {
      decay(*options.num_epochs_per_decay, *options.decay_factor, steps_per_epoch);
      minimum_ = options.minimum.value_or(0);
    }
  }
  warmup_steps_ = whole(steps_per_epoch * options.warmup_epochs.value_or(0));
  warmup_rate_ = pieces_.empty() ? last_rate_ : pieces_.front().rate;
}

void LearningRateSchedule::follow_pieces(const std::string& text, double steps_per_epoch) {
  const PiecewiseText parsed = parse_piecewise(text);
  for (std::size_t i = 0; i < parsed.epochs.size(); ++i) {
    // The new rate starts exactly at this step; the model's rules below switch one step later.
    const auto first_step = whole(steps_per_epoch * static_cast<double>(parsed.epochs[i]));
    pieces_.push_back({first_step - 1, parsed.rates[i]});
  }
  last_rate_ = parsed.rates.back();
}

void LearningRateSchedule::follow_rule(const LearningRateOptions& options,
                                       const LearningRateRule& rule,
                                       const LearningRateContext& context) {
  double rate = rule.base_rate;
  if (options.resnet_base_rate) {
    if (rule.reference_batch == 0) {
      fail(ExitCode::kUsage,
           "--resnet_base_lr={}: this model's rate does not scale with the batch; use "
           "--init_learning_rate",
           *options.resnet_base_rate);
    }
    rate = *options.resnet_base_rate;
  }
  if (rule.divided_by_replicas_when_summed && context.gradients_are_summed) {
    rate /= context.replicas;
  }
  if (rule.reference_batch > 0) rate *= context.batch / rule.reference_batch;

  double steps_per_epoch = context.examples_per_epoch / context.batch;
  if (rule.decay_epochs > 0) decay(rule.decay_epochs, rule.decay_factor, steps_per_epoch);
  if (rule.whole_steps_per_epoch) steps_per_epoch = std::floor(steps_per_epoch);
  last_rate_ = rate;
  if (!rule.boundary_epochs.empty()) {
    CONVOY_CHECK_EQ(rule.boundary_multipliers.size(), rule.boundary_epochs.size() + 1);
    for (std::size_t i = 0; i < rule.boundary_epochs.size(); ++i) {
      pieces_.push_back(
          {whole(steps_per_epoch * rule.boundary_epochs[i]), rate * rule.boundary_multipliers[i]});
    }
    last_rate_ = rate * rule.boundary_multipliers.back();
  }
  warmup_steps_ = whole(steps_per_epoch * rule.warmup_epochs);
  warmup_rate_ = rate;
}

void LearningRateSchedule::decay(double epochs, double factor, double steps_per_epoch) {
  // A batch larger than the decay period would give zero steps; decaying every step is what is
  // left.
  decay_steps_ = std::max<std::int64_t>(1, whole(steps_per_epoch * epochs));
  decay_factor_ = factor;
}

double LearningRateSchedule::at(std::int64_t step) const {
  if (step < warmup_steps_) {
    return warmup_rate_ * static_cast<double>(step) / static_cast<double>(warmup_steps_);
  }
  const auto piece = std::find_if(pieces_.begin(), pieces_.end(),
                                  [step](const Piece& p) { return step <= p.last_step; });
  if (piece != pieces_.end()) return piece->rate;
  if (decay_steps_ == 0) return last_rate_;
  const auto periods = static_cast<double>(step / decay_steps_);
  return std::max(minimum_, last_rate_ * std::pow(decay_factor_, periods));
}

}  // namespace convoy
