#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "core/base/numbers/statistics.hpp"
#include "core/report/html/sections.hpp"

namespace convoy::report {
namespace {

struct Prediction {
  double seconds = 0;
  bool measured_rates = false;  // measured on this machine by convoy calibrate
};

// Returns the prediction for this plan; else the prediction by which --variable_update=auto chose
// it.
std::optional<Prediction> prediction_of(const Json& record) {
  if (const auto seconds = number(record, "prediction/step_seconds"))
    return Prediction{*seconds, is_true(record, "prediction/calibrated")};
  if (const auto seconds = number(record, "selection/predicted_step_seconds"))
    return Prediction{*seconds, is_true(record, "selection/calibrated")};
  return std::nullopt;
}

// Returns a comparison such as "3.1 % slower than".
std::string against(double measured, double predicted) {
  const double difference = measured / predicted - 1;
  if (std::abs(difference) < 0.005) return "as fast as";
  return fmt::format("{:.1f} % {} than", 100 * std::abs(difference),
                     difference > 0 ? "slower" : "faster");
}

// Returns the devices of the machine, each kind once.
std::string machine_of(const Json& record) {
  std::set<std::string> models;
  for (const Json& device : field(record, "devices")) models.insert(text(device, "model"));
  return fmt::format("{}", fmt::join(models, " and "));
}

std::string device_words(const Json& record) {
  const Json& devices = field(record, "devices");
  if (!devices.is_array() || devices.empty()) return "no device";
  const std::string kind = text(devices.front(), "kind");
  const std::size_t peers = field(record, "peers").size();
  return counted(devices.size(), kind.empty() ? "device" : kind + " device") +
         (peers > 0 ? " of each task" : "");
}

constexpr const char* kForwardOnly = "forward only";
constexpr const char* kEvaluation = "evaluation";

bool only_evaluates(const Json& record) {
  return text(record, "mode") == kEvaluation;
}

bool reads_only(const Json& record) {
  return field(record, "input_only").is_object();
}

// Returns what a run did instead of training; empty if it trained.
std::string mode_of(const Json& record) {
  const std::string mode = text(record, "mode");
  return mode == kForwardOnly || mode == kEvaluation ? mode : std::string();
}

// Returns the same as the end of a name.
std::string mode_words(const Json& record) {
  const std::string mode = mode_of(record);
  return mode.empty() ? mode : ", " + mode;
}

std::string ending(const Json& record) {
  const std::string error = text(record, "error");
  if (!error.empty())
    return fmt::format("The run failed with exit code {:.0f}: {}",
                       number_or_zero(record, "exit_status"), error);
  if (is_true(record, "interrupted"))
    return fmt::format("The run was interrupted after {}.",
                       counted(field(record, "steps").size(), "timed step"));
  return {};
}

std::string input_sentence(const Json& record) {
  return fmt::format(
      "{} were read and prepared, {} on each core; nothing was computed.",
      quantity(number_or_zero(record, "input_only/images_per_sec"), Unit::kRate),
      quantity(number_or_zero(record, "input_only/images_per_sec_and_core"), Unit::kRate));
}

// Returns the total images per second: of every run of --repeat, else of the only run.
std::vector<double> rates_of(const Json& record) {
  std::vector<double> rates;
  for (const Json& repeat : field(record, "repeats"))
    if (const auto rate = number(repeat, "images_per_sec")) rates.push_back(*rate);
  if (rates.empty()) rates.push_back(number_or_zero(record, "total/images_per_sec"));
  return rates;
}

// Returns ", the median of 3 runs"; empty for one run.
std::string runs_words(const std::vector<double>& rates) {
  return rates.size() > 1 ? fmt::format(", the median of {} runs", rates.size()) : std::string();
}

std::string speed_sentence(const Subject& run) {
  if (reads_only(run.record)) return input_sentence(run.record);
  const std::vector<double> rates = rates_of(run.record);
  if (only_evaluates(run.record))
    return fmt::format("{} is evaluated at {} on {}{}.", text(run.record, "model"),
                       quantity(median(rates), Unit::kRate), device_words(run.record),
                       runs_words(rates));
  const double step = number_or_zero(run.record, "total/step_seconds/p50");
  std::string sentence =
      fmt::format("{} runs at {} on {} with {}{}{}", text(run.record, "model"),
                  quantity(median(rates), Unit::kRate), device_words(run.record),
                  text(run.record, "strategy/name"), mode_words(run.record), runs_words(rates));
  const auto predicted = prediction_of(run.record);
  if (!predicted || step <= 0) return sentence + "; nothing was predicted.";
  sentence +=
      fmt::format(": {} median step of {} is {} the predicted {}",
                  rates.size() > 1 ? "one run's" : "its", quantity(step, Unit::kSeconds),
                  against(step, predicted->seconds), quantity(predicted->seconds, Unit::kSeconds));
  return sentence + (predicted->measured_rates
                         ? "."
                         : ", which rests on nominal rates (convoy calibrate measures them).");
}

// Returns the result of the last evaluation.
std::string accuracy_sentence(const Json& record) {
  const Json& evaluations = field(record, "evaluations");
  if (!evaluations.is_array() || evaluations.empty()) return {};
  const Json& last = evaluations.back();
  return fmt::format(
      "Of {:.0f} images, the last evaluation classified {} right, and {} within five guesses.",
      number_or_zero(last, "examples"), quantity(number_or_zero(last, "top_1"), Unit::kShare),
      quantity(number_or_zero(last, "top_5"), Unit::kShare));
}

// Returns the parts of a step's time, largest first.
std::string spending_sentence(const Json& record) {
  const double seconds = number_or_zero(record, "step_breakdown/seconds");
  if (seconds <= 0) return {};
  std::vector<std::pair<double, std::string>> parts;
  for (const auto& [name, words] : {std::pair{"compute", "computation"},
                                    {"aggregation", "exposed aggregation and update"},
                                    {"network", "waiting for other hosts"},
                                    {"input_wait", "waiting for images"},
                                    {"executor", "gaps"}})
    parts.emplace_back(number_or_zero(record, std::string("step_breakdown/") + name) / seconds,
                       words);
  std::ranges::stable_sort(parts, std::greater<>(), &std::pair<double, std::string>::first);
  std::string sentence;
  for (const auto& [share, words] : parts)
    if (share >= 0.01)
      sentence += fmt::format("{}{:.0f} % {}", sentence.empty() ? "" : ", ", 100 * share, words);
  return sentence.empty() ? sentence : "Of the step's time: " + sentence + ".";
}

}  // namespace

std::string run_heading(const Json& record) {
  if (reads_only(record)) return text(record, "model") + ", input only";
  return fmt::format("{}, {}, {}{}", text(record, "model"), device_words(record),
                     text(record, "strategy/name"), mode_words(record));
}

std::vector<std::string> run_verdict(const Subject& run) {
  std::vector<std::string> sentences;
  if (median(rates_of(run.record)) > 0) sentences.push_back(speed_sentence(run));
  for (const std::string& it :
       {ending(run.record), spending_sentence(run.record), accuracy_sentence(run.record)})
    if (!it.empty()) sentences.push_back(it);
  if (sentences.empty()) sentences.emplace_back("The run has no timed step.");
  return sentences;
}

// Returns the standard error of `rate`, the rate of all tasks. It is scaled from the record's
// error, which older records have for one task only.
double standard_error(const Json& record, double rate) {
  const double error = number_or_zero(record, "total/images_per_sec_standard_error");
  const double own = number_or_zero(record, "total/images_per_sec_mean");
  const bool several = record.contains("tasks") && record["tasks"].size() > 1;
  return several && own > 0 ? error * rate / own : error;
}

namespace {

// Returns "± 3 standard error", or the range of several runs.
std::string spread_words(const Json& record, const std::vector<double>& rates) {
  if (rates.size() == 1)
    return fmt::format("\u00b1 {} standard error",
                       plain_number(standard_error(record, rates.front())));
  const auto [least, most] = std::ranges::minmax(rates);
  return fmt::format("median of {} runs, which go from {} to {}", rates.size(), plain_number(least),
                     plain_number(most));
}

// For a run with timed steps.
std::vector<Tile> speed_tiles(const Json& record, const std::vector<double>& rates) {
  const double rate = median(rates);
  if (reads_only(record))
    return {{"Speed", quantity(rate, Unit::kRate),
             fmt::format("by {}", counted(static_cast<std::size_t>(
                                              number_or_zero(record, "input_only/threads")),
                                          "thread"))}};
  if (only_evaluates(record))
    return {{"Speed", quantity(rate, Unit::kRate), "of the last evaluation"}};
  std::vector<Tile> tiles;
  tiles.push_back({"Speed", quantity(rate, Unit::kRate), spread_words(record, rates)});
  const double step = number_or_zero(record, "total/step_seconds/p50");
  tiles.push_back(
      {"Median step, measured", quantity(step, Unit::kSeconds),
       fmt::format("90 % within {}{}",
                   quantity(number_or_zero(record, "total/step_seconds/p90"), Unit::kSeconds),
                   rates.size() > 1 ? ", in one run" : "")});
  if (const auto predicted = prediction_of(record))
    tiles.push_back({"Step, predicted", quantity(predicted->seconds, Unit::kSeconds),
                     step > 0
                         ? fmt::format("measured {:+.1f} %", 100 * (step / predicted->seconds - 1))
                         : std::string()});
  return tiles;
}

}  // namespace

std::vector<Tile> run_tiles(const Subject& run) {
  const Json& record = run.record;
  std::vector<Tile> tiles;
  const std::vector<double> rates = rates_of(record);
  const double rate = median(rates);
  if (rate > 0) tiles = speed_tiles(record, rates);
  const std::string verdict = text(record, "strategy/verdict");
  if (rate > 0 && !reads_only(record) && !only_evaluates(record) && !verdict.empty())
    tiles.push_back({"What it computes", verdict, "as the checker proved"});
  const Json& evaluations = field(record, "evaluations");
  if (evaluations.is_array() && !evaluations.empty())
    tiles.push_back({"Accuracy",
                     quantity(number_or_zero(evaluations.back(), "top_1"), Unit::kShare),
                     "top 1, of the last evaluation"});
  return tiles;
}

std::vector<ScalingPoint> run_scaling(const Json& record) {
  const std::vector<double> rates = rates_of(record);
  const double batch = number_or_zero(record, "batch_per_device");
  if (median(rates) <= 0 || batch <= 0 || reads_only(record)) return {};
  const std::string strategy = text(record, "strategy/name");
  const double images = number_or_zero(record, "global_batch");
  ScalingPoint point{text(record, "model"), strategy, false, images / batch};
  const bool rounds = text(record, "flags/tf32") == "true";
  point.conditions = {machine_of(record), "", batch_words(batch),
                      arithmetic_words(rounds ? "tf32" : text(record, "compute_dtype")),
                      mode_of(record)};
  point.details = option_words(field(record, "strategy/options"));
  std::vector<ScalingPoint> points;
  for (const double rate : rates) points.emplace_back(point).rate = rate;
  if (const auto predicted = prediction_of(record)) {
    point.label = strategy + ", predicted";
    point.simulated = true;
    point.rate = images / predicted->seconds;
    points.push_back(std::move(point));
  }
  return points;
}

}  // namespace convoy::report
