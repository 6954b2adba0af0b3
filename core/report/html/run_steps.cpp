#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/report/html/sections.hpp"

namespace convoy::report {
namespace {

struct StepTimes {
  std::vector<Point> seconds;  // by the step's number
  std::vector<Point> waits;
  double median = 0;
  double p90 = 0;
};

StepTimes step_times(const Json& record) {
  StepTimes times;
  for (const Json& step : field(record, "steps")) {
    const double at = number_or_zero(step, "step");
    if (const auto seconds = number(step, "seconds")) times.seconds.push_back({at, *seconds});
    if (const auto wait = number(step, "input_wait_seconds")) times.waits.push_back({at, *wait});
  }
  times.median = number_or_zero(record, "total/step_seconds/p50");
  times.p90 = number_or_zero(record, "total/step_seconds/p90");
  return times;
}

// Returns marks for checkpoints, evaluations and the end of an interrupted run.
std::vector<Mark> marks_of(const Json& record, double last) {
  std::vector<Mark> marks;
  for (const Json& it : field(record, "checkpoints"))
    marks.push_back({number_or_zero(it, "step"), "C", "checkpoint",
                     fmt::format("checkpoint after step {:.0f}, {}", number_or_zero(it, "step"),
                                 quantity(number_or_zero(it, "seconds"), Unit::kSeconds))});
  for (const Json& it : field(record, "evaluations"))
    marks.push_back(
        {number_or_zero(it, "step"), "E", "evaluation",
         fmt::format("evaluation after step {:.0f}, top 1 {}", number_or_zero(it, "step"),
                     quantity(number_or_zero(it, "top_1"), Unit::kShare))});
  if (is_true(record, "interrupted"))
    marks.push_back(
        {last, "I", "interruption", fmt::format("interrupted after step {:.0f}", last)});
  std::erase_if(marks, [last](const Mark& mark) { return mark.x < 0 || mark.x > last; });
  std::ranges::stable_sort(marks, {}, &Mark::x);
  return marks;
}

Mark mark_of(double x, const char* sign, const std::string& text) {
  return {x, sign, text, text};
}

// The axis of a distribution shows positions, not lengths, so it begins at the fastest step. The
// slowest hundredth is the last bin.
Histogram distribution(const Subject& run, const StepTimes& times) {
  constexpr std::size_t kMostBins = 40;
  std::vector<double> values;
  for (const Point& point : times.seconds) values.push_back(point.y);
  std::ranges::sort(values);
  const double end =
      values[static_cast<std::size_t>(0.99 * static_cast<double>(values.size() - 1))];
  const double from = values.front();
  const auto bins = std::clamp<std::size_t>(values.size() / 6, 5, kMostBins);
  Histogram histogram{run.figure_name("step-distribution"),
                      run.figure_title("Distribution of step times"),
                      {"step time, from the fastest step on", Unit::kSeconds},
                      from,
                      std::max(end - from, 1e-3 * from) / static_cast<double>(bins),
                      std::vector<std::int64_t>(bins + 1, 0)};
  for (const double value : values) {
    const double bin = (value - from) / histogram.width;
    ++histogram.counts[std::min(bins, static_cast<std::size_t>(bin))];
  }
  histogram.marks = {
      mark_of(times.median, "M", "median " + quantity(times.median, Unit::kSeconds)),
      mark_of(times.p90, "90", "90 % within " + quantity(times.p90, Unit::kSeconds))};
  return histogram;
}

std::vector<Point> column(const Json& steps, const std::string& name) {
  std::vector<Point> points;
  for (const Json& step : steps)
    if (const auto value = number(step, name))
      points.push_back({number_or_zero(step, "step"), *value});
  return points;
}

}  // namespace

std::vector<Figure> step_figures(const Subject& run) {
  const StepTimes times = step_times(run.record);
  if (times.seconds.empty()) return {};
  std::vector<Figure> figures;
  constexpr std::size_t kFewSteps = 10;
  if (times.seconds.size() >= kFewSteps) figures.emplace_back(distribution(run, times));
  LineChart over_time{run.figure_name("step-times"), run.figure_title("Step times over the run"),
                      {"step", Unit::kNumber, true}, {"step time", Unit::kSeconds},
                      {{"measured", times.seconds}}, marks_of(run.record, times.seconds.back().x)};
  if (const auto predicted = number(run.record, "prediction/step_seconds"))
    over_time.series.push_back(
        {"predicted",
         {{times.seconds.front().x, *predicted}, {times.seconds.back().x, *predicted}},
         Stroke::kReference,
         1});
  const bool waits = std::ranges::any_of(
      times.waits, [&](const Point& point) { return point.y > 0.01 * times.median; });
  if (waits)
    over_time.series.push_back({"of which waiting for images", times.waits, Stroke::kSolid, 2});
  figures.emplace_back(std::move(over_time));
  return figures;
}

std::vector<Figure> learning_figures(const Subject& run) {
  const Json& steps = field(run.record, "steps");
  std::vector<Figure> figures;
  const std::string mode = text(run.record, "mode");
  const std::vector<Point> losses = column(steps, "loss");
  if (losses.size() > 1)
    figures.emplace_back(LineChart{run.figure_name("loss"),
                                   run.figure_title("Loss"),
                                   {"step", Unit::kNumber, true},
                                   {"loss", Unit::kNumber},
                                   {{"", losses}}});
  LineChart accuracy{run.figure_name("accuracy"),
                     run.figure_title("Accuracy"),
                     {"step", Unit::kNumber, true},
                     {"images classified right", Unit::kShare},
                     {},
                     {},
                     1.0};
  const Json& evaluations = field(run.record, "evaluations");
  const std::pair<const Json*, const char*> sources[] = {{&evaluations, "evaluation"},
                                                         {&steps, "training batches"}};
  for (const auto& [rows, words] : sources)
    for (const auto& [top, name] : {std::pair{"top 1", "top_1"}, {"top 5", "top_5"}}) {
      const std::string suffix = rows == &steps ? "_accuracy" : "";
      std::vector<Point> points = column(*rows, name + suffix);
      if (!points.empty())
        accuracy.series.push_back({fmt::format("{}, {}", top, words), std::move(points),
                                   rows == &steps ? Stroke::kDashed : Stroke::kSolid,
                                   accuracy.series.size()});
    }
  if (!accuracy.series.empty()) figures.emplace_back(std::move(accuracy));
  return figures;
}

}  // namespace convoy::report
