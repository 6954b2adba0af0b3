#pragma once

#include <convoy/job_options.hpp>
#include <cstdint>
#include <string_view>
#include <vector>

namespace convoy::train {

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

}  // namespace convoy::train
