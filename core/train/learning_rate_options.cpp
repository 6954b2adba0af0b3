#include "core/train/learning_rate_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "core/base/error.hpp"
#include "core/base/text/number.hpp"
#include "core/base/text/split.hpp"

namespace convoy::train {
namespace {

template <typename Number>
Number parse_part(std::string_view part, std::string_view schedule, const char* what) {
  const std::optional<Number> value = parse_number<Number>(part);
  if (!value || !std::isfinite(static_cast<double>(*value)) || *value < 0) {
    fail(ExitCode::kUsage,
         "--piecewise_learning_rate_schedule={}: \"{}\" is not {}; the form is LR0;E1;LR1;E2;LR2, "
         "for example 0.1;30;0.01;60;0.001",
         schedule, part, what);
  }
  return *value;
}

void check_not_negative(const char* flag, double value) {
  if (!(value >= 0) || !std::isfinite(value)) {
    fail(ExitCode::kUsage, "--{}={}: it must be a number that is not negative", flag, value);
  }
}

// One flag as it was given: "--init_learning_rate=0.1".
std::string given(const char* flag, double value) {
  return fmt::format("--{}={}", flag, value);
}

std::vector<std::string> given_decay_flags(const LearningRateOptions& options) {
  std::vector<std::string> flags;
  if (options.init_learning_rate)
    flags.push_back(given("init_learning_rate", *options.init_learning_rate));
  if (options.num_epochs_per_decay != 0)
    flags.push_back(given("num_epochs_per_decay", options.num_epochs_per_decay));
  if (options.learning_rate_decay_factor != 0)
    flags.push_back(given("learning_rate_decay_factor", options.learning_rate_decay_factor));
  if (options.minimum_learning_rate != 0)
    flags.push_back(given("minimum_learning_rate", options.minimum_learning_rate));
  return flags;
}

void check_piecewise_options(const LearningRateOptions& options) {
  if (const std::vector<std::string> others = given_decay_flags(options); !others.empty()) {
    fail(ExitCode::kUsage,
         "--piecewise_learning_rate_schedule={} is the whole schedule and does not go with {}: "
         "leave out one or the other",
         options.piecewise_learning_rate_schedule, fmt::join(others, " "));
  }
  parse_piecewise(options.piecewise_learning_rate_schedule);
}

void check_decay_options(const LearningRateOptions& options) {
  const bool period = options.num_epochs_per_decay != 0;
  const bool factor = options.learning_rate_decay_factor != 0;
  if (!period && !factor && options.minimum_learning_rate == 0) return;
  std::vector<std::string> missing;
  if (!options.init_learning_rate) missing.emplace_back("--init_learning_rate");
  if (!period) missing.emplace_back("--num_epochs_per_decay");
  if (!factor) missing.emplace_back("--learning_rate_decay_factor");
  if (missing.empty()) return;
  fail(ExitCode::kUsage,
       "{} belongs to exponential decay, which needs --init_learning_rate, --num_epochs_per_decay "
       "and --learning_rate_decay_factor together: also give {}, or leave out all of decay",
       fmt::join(given_decay_flags(options), " "), fmt::join(missing, " and "));
}

// Returns the explicit rate or schedule as it was given; empty if there is none.
std::string explicit_rate(const LearningRateOptions& options) {
  if (!options.piecewise_learning_rate_schedule.empty())
    return "--piecewise_learning_rate_schedule=" + options.piecewise_learning_rate_schedule;
  if (options.init_learning_rate) return given("init_learning_rate", *options.init_learning_rate);
  return {};
}

}  // namespace

PiecewiseRates parse_piecewise(std::string_view text) {
  const std::vector<std::string> parts = split(text, ';');
  if (parts.size() % 2 == 0) {
    fail(ExitCode::kUsage,
         "--piecewise_learning_rate_schedule={}: it has {} parts; an odd number is needed, rates "
         "with the epochs between them (LR0;E1;LR1)",
         text, parts.size());
  }
  PiecewiseRates schedule;
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

void check_learning_rate_options(const LearningRateOptions& options) {
  check_not_negative("init_learning_rate", options.init_learning_rate.value_or(0));
  check_not_negative("num_epochs_per_decay", options.num_epochs_per_decay);
  check_not_negative("learning_rate_decay_factor", options.learning_rate_decay_factor);
  check_not_negative("num_learning_rate_warmup_epochs", options.num_learning_rate_warmup_epochs);
  check_not_negative("minimum_learning_rate", options.minimum_learning_rate);
  check_not_negative("resnet_base_lr", options.resnet_base_lr.value_or(0));
  if (options.piecewise_learning_rate_schedule.empty()) {
    check_decay_options(options);
  } else {
    check_piecewise_options(options);
  }
  const std::string rate = explicit_rate(options);
  if (options.num_learning_rate_warmup_epochs != 0 && rate.empty()) {
    fail(ExitCode::kUsage,
         "--num_learning_rate_warmup_epochs={} needs --init_learning_rate or "
         "--piecewise_learning_rate_schedule; a model's own rule has its own warm-up: give a rate "
         "or leave it out",
         options.num_learning_rate_warmup_epochs);
  }
  if (options.resnet_base_lr && !rate.empty()) {
    fail(ExitCode::kUsage,
         "--resnet_base_lr={} changes the model's own rule, which {} replaces: give one of them",
         *options.resnet_base_lr, rate);
  }
}

}  // namespace convoy::train
