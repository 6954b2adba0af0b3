#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace convoy {

// What the user chose. Everything unset: the model's rule decides.
struct LearningRateOptions {
  std::optional<double> init_learning_rate;
  std::string piecewise_learning_rate_schedule;  // "LR0;E1;LR1;...", E in whole epochs
  double num_epochs_per_decay = 0;
  double learning_rate_decay_factor = 0;
  double num_learning_rate_warmup_epochs = 0;
  double minimum_learning_rate = 0;
  std::optional<double> resnet_base_lr;  // replaces the base of a rule that scales with the batch
};

// Error(kUsage) naming the flags and their values when the options contradict each other or a
// schedule does not parse.
void check_learning_rate_options(const LearningRateOptions& options);

// "LR0;E1;LR1;...": first_rate until epochs[0], then rates[0] and so on.
struct PiecewiseRates {
  double first_rate = 0;
  std::vector<std::int64_t> epochs;
  std::vector<double> rates;
};

// Error(kUsage) when the text does not have that form.
PiecewiseRates parse_piecewise(std::string_view text);

}  // namespace convoy
