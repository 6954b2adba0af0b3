#pragma once

#include <convoy/job_options.hpp>
#include <cstdint>
#include <string_view>
#include <vector>

namespace convoy::train {

// Turns triggers into steps: epoch e ends with step ceil(e * examples / global batch).
class EvaluationSchedule {
 public:
  EvaluationSchedule(EvaluationTriggers triggers, std::int64_t examples_per_epoch,
                     std::int64_t global_batch);

  // Whether to evaluate when this number of timed steps are done.
  bool due(std::int64_t timed_step) const;

 private:
  std::int64_t step_of(double epoch) const;

  EvaluationTriggers triggers_;
  double steps_per_epoch_;
};

// "10,20,50" and "0.5,1,2": numbers above 0 separated by commas; nothing gives an empty list.
// Error(kUsage) quoting flag and text for anything else.
std::vector<std::int64_t> parse_step_list(std::string_view flag, std::string_view text);
std::vector<double> parse_epoch_list(std::string_view flag, std::string_view text);

}  // namespace convoy::train
