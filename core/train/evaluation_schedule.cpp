#include "core/train/evaluation_schedule.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "core/base/error.hpp"
#include "core/train/whole_steps.hpp"

namespace convoy::train {
namespace {

// Products such as 3 * 0.1 * 100 / 10 come out a little above the whole number that is meant.
constexpr double kRounding = 1e-9;

template <typename Number>
std::vector<Number> parse_list(std::string_view flag, std::string_view text, const char* example) {
  std::vector<Number> numbers;
  const char* position = text.data();
  const char* const end = position + text.size();
  while (position != end) {
    Number number{};
    const auto [after, error] = std::from_chars(position, end, number);
    const bool separated = after == end || (*after == ',' && after + 1 != end);
    if (error != std::errc() || !separated || !(number > 0) ||
        !std::isfinite(static_cast<double>(number)))
      fail(ExitCode::kUsage, "--{}={}: it must be numbers above 0 with commas: {}", flag, text,
           example);
    numbers.push_back(number);
    position = after == end ? end : after + 1;
  }
  return numbers;
}

}  // namespace

std::vector<std::int64_t> parse_step_list(std::string_view flag, std::string_view text) {
  return parse_list<std::int64_t>(flag, text, "10,20,50");
}

std::vector<double> parse_epoch_list(std::string_view flag, std::string_view text) {
  return parse_list<double>(flag, text, "0.5,1,2");
}

EvaluationSchedule::EvaluationSchedule(EvaluationTriggers triggers, std::int64_t examples_per_epoch,
                                       std::int64_t global_batch)
    : triggers_(std::move(triggers)),
      steps_per_epoch_(static_cast<double>(examples_per_epoch) /
                       static_cast<double>(global_batch)) {
  CONVOY_CHECK_LT(0, examples_per_epoch);
  CONVOY_CHECK_LT(0, global_batch);
}

std::int64_t EvaluationSchedule::step_of(double epoch) const {
  const double steps = epoch * steps_per_epoch_;
  return whole_steps(std::ceil(steps - kRounding * steps));
}

bool EvaluationSchedule::due(std::int64_t timed_step) const {
  if (triggers_.every_steps) return timed_step % *triggers_.every_steps == 0;
  if (triggers_.every_epochs) {
    // The last multiple of the period that has passed by then, unless an earlier step saw it.
    const double passed = static_cast<double>(timed_step) / steps_per_epoch_;
    const double periods = std::floor(passed / *triggers_.every_epochs * (1 + kRounding));
    return periods >= 1 && step_of(periods * *triggers_.every_epochs) == timed_step;
  }
  const auto& steps = triggers_.at_steps;
  const auto& epochs = triggers_.at_epochs;
  return std::find(steps.begin(), steps.end(), timed_step) != steps.end() ||
         std::any_of(epochs.begin(), epochs.end(),
                     [&](double epoch) { return step_of(epoch) == timed_step; });
}

}  // namespace convoy::train
