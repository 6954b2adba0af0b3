#include "core/report/html/sections.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace convoy::report {
namespace {

double row_rate(const Json& point) {
  return number_or_zero(point, "images_per_second");
}

std::vector<std::string> swept_models(const Json& record) {
  std::vector<std::string> models;
  for (const Json& point : field(record, "points"))
    if (std::ranges::find(models, text(point, "model")) == models.end())
      models.push_back(text(point, "model"));
  return models;
}

std::string verdict_on_points(const Json& record, const std::string& model) {
  const Json* best = nullptr;
  std::size_t refused = 0;
  for (const Json& point : field(record, "points")) {
    if (text(point, "model") != model) continue;
    if (row_rate(point) <= 0)
      ++refused;
    else if (best == nullptr || row_rate(point) > row_rate(*best))
      best = &point;
  }
  if (best == nullptr) return fmt::format("{}: no point has a rate.", model);
  std::string sentence = fmt::format(
      "Simulated, {} is fastest at {} on {} of {} with {} and {}: {:.1f} % of linear scaling, "
      "limited by {}.",
      model, quantity(row_rate(*best), Unit::kRate),
      counted(count_or_zero(*best, "devices"), "device"), text(*best, "machine"),
      text(*best, "variable_update"), batch_words(number_or_zero(*best, "batch_per_device")),
      100 * number_or_zero(*best, "efficiency"), text(*best, "bottleneck"));
  if (refused > 0)
    sentence += fmt::format(" {} no rate; the table says why.",
                            refused == 1 ? "1 point has" : fmt::format("{} points have", refused));
  return sentence;
}

// Returns the point for a row that has a rate.
ScalingPoint scaling_point(const Json& row) {
  ScalingPoint point{text(row, "model"), text(row, "variable_update") + ", simulated", true,
                     number_or_zero(row, "devices"), row_rate(row)};
  point.conditions = conditions_of(row);
  add_hosts(point, number_or_zero(row, "hosts"));
  return point;
}

// Returns a point with one device under the same conditions, still without its rate.
ScalingPoint one_device_beside(ScalingPoint point) {
  point.devices = 1;
  point.rate = 0;
  point.details.clear();
  return point;
}

}  // namespace

std::string sweep_heading(const Json& record) {
  return fmt::format("Sweep of {}, simulated", counted(field(record, "points").size(), "point"));
}

std::vector<std::string> sweep_verdict(const Subject& sweep) {
  std::vector<std::string> sentences;
  for (const std::string& model : swept_models(sweep.record))
    sentences.push_back(verdict_on_points(sweep.record, model));
  if (sentences.empty()) sentences.emplace_back("The sweep has no point.");
  return sentences;
}

std::vector<ScalingPoint> sweep_scaling(const Json& record) {
  using CurveOfRow = std::tuple<std::string, std::string, std::string, std::string>;
  std::vector<ScalingPoint> points;
  // Rate of one device, from the fastest of a curve's rows.
  std::map<CurveOfRow, ScalingPoint> alone;
  std::map<CurveOfRow, bool> has_one;
  for (const Json& row : field(record, "points")) {
    if (row_rate(row) <= 0) continue;
    const ScalingPoint& point = points.emplace_back(scaling_point(row));
    const CurveOfRow curve{point.model, point.label, point.conditions.machine,
                           point.conditions.batch};
    has_one[curve] |= point.devices == 1;
    const double rate = number_or_zero(row, "one_device_images_per_second");
    ScalingPoint& one = alone.try_emplace(curve, one_device_beside(point)).first->second;
    one.rate = std::max(one.rate, rate);
  }
  for (auto& [curve, point] : alone)
    if (!has_one[curve] && point.rate > 0) points.push_back(std::move(point));
  return points;
}

std::vector<Figure> sweep_table(const Subject& sweep) {
  Table table{sweep.figure_title("All points"),
              {"machine", "model", "strategy", "batch", "hosts", "devices", "images/s",
               "efficiency", "step", "limited by"},
              {}};
  for (const Json& point : field(sweep.record, "points")) {
    const std::string taken = text(point, "taken");
    std::vector<std::string> row = {
        text(point, "machine"),
        text(point, "model"),
        taken.empty() ? text(point, "variable_update")
                      : fmt::format("{}: {}", text(point, "variable_update"), taken),
        plain_number(number_or_zero(point, "batch_per_device")),
        plain_number(number_or_zero(point, "hosts")),
        plain_number(number_or_zero(point, "devices"))};
    if (row_rate(point) > 0)
      row.insert(row.end(), {plain_number(row_rate(point)),
                             quantity(number_or_zero(point, "efficiency"), Unit::kShare),
                             quantity(number_or_zero(point, "step_seconds"), Unit::kSeconds),
                             text(point, "bottleneck")});
    else
      row.insert(row.end(), {"none: " + text(point, "problem"), "", "", ""});
    table.rows.push_back(std::move(row));
  }
  return {std::move(table)};
}

}  // namespace convoy::report
