#include "core/report/html/comparison_sections.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/base/statistics.hpp"

namespace convoy::report {
namespace {

double rate_of(const Json& cell) {
  return number_or_zero(cell, "images_per_second");
}

// Of the most devices that any cell of the model has.
std::string verdict_on(const Json& record, const std::string& model) {
  double devices = 0;
  for (const Json& cell : field(record, "cells"))
    if (text(cell, "model") == model && rate_of(cell) > 0)
      devices = std::max(devices, number_or_zero(cell, "devices"));
  std::vector<const Json*> cells;
  for (const Json& cell : field(record, "cells"))
    if (text(cell, "model") == model && number_or_zero(cell, "devices") == devices &&
        rate_of(cell) > 0)
      cells.push_back(&cell);
  if (cells.empty()) return fmt::format("{}: no strategy ran.", model);
  std::ranges::stable_sort(cells, std::greater<>(), [](const Json* it) { return rate_of(*it); });
  const Json& best = *cells.front();
  std::string sentence = fmt::format("{} on {}: {} is fastest with {}", model,
                                     counted(static_cast<std::size_t>(devices), "device"),
                                     text(best, "strategy"), quantity(rate_of(best), Unit::kRate));
  if (const auto efficiency = number(best, "efficiency"))
    sentence += fmt::format(", {:.1f} % of linear scaling", 100 * *efficiency);
  if (cells.size() > 1)
    sentence += fmt::format("; next is {}, {:.1f} % slower", text(*cells[1], "strategy"),
                            100 * (1 - rate_of(*cells[1]) / rate_of(best)));
  return sentence + ".";
}

std::vector<std::string> models_of(const Json& record) {
  std::vector<std::string> models;
  for (const Json& cell : field(record, "cells"))
    if (std::ranges::find(models, text(cell, "model")) == models.end())
      models.push_back(text(cell, "model"));
  return models;
}

// Rates of repeats, by number of devices.
using Curve = std::map<double, std::vector<double>>;

struct ModelCurves {
  std::map<std::string, Curve> curves;
  std::map<std::string, bool> simulated;
  double one_device = 0;  // the best rate of one; 0 when nobody tried
  double most_devices = 1;
};

Point point_of(double devices, const std::vector<double>& rates, double factor) {
  Point point{devices, factor * median(rates)};
  if (rates.size() > 1)
    point.range = Interval{factor * *std::ranges::min_element(rates),
                           factor * *std::ranges::max_element(rates)};
  return point;
}

ModelCurves curves_of(const std::vector<ScalingPoint>& points, const std::string& model) {
  ModelCurves result;
  for (const ScalingPoint& point : points) {
    if (point.model != model) continue;
    result.curves[point.label][point.devices].push_back(point.rate);
    result.simulated[point.label] = point.simulated;
    result.most_devices = std::max(result.most_devices, point.devices);
  }
  for (const auto& [label, curve] : result.curves)
    if (curve.contains(1)) result.one_device = std::max(result.one_device, median(curve.at(1)));
  return result;
}

LineChart rates_chart(const std::string& model, const ModelCurves& curves) {
  LineChart chart{"scaling-" + model,
                  model + ": speed over devices",
                  {"devices", Unit::kNumber, true},
                  {"speed", Unit::kRate},
                  {}};
  std::size_t colour = 0;
  for (const auto& [label, curve] : curves.curves) {
    Series series{
        label, {}, curves.simulated.at(label) ? Stroke::kDashed : Stroke::kSolid, colour++};
    for (const auto& [devices, rates] : curve) series.points.push_back(point_of(devices, rates, 1));
    chart.series.push_back(std::move(series));
  }
  if (curves.one_device > 0)
    chart.series.push_back(
        {"linear",
         {{0, 0}, {curves.most_devices, curves.one_device * curves.most_devices}},
         Stroke::kReference,
         0});
  return chart;
}

LineChart efficiency_chart(const std::string& model, const ModelCurves& curves) {
  LineChart chart{"efficiency-" + model,
                  model + ": efficiency against one device",
                  {"devices", Unit::kNumber, true},
                  {"share of linear scaling", Unit::kShare},
                  {},
                  {},
                  1.0};
  std::size_t colour = 0;
  for (const auto& [label, curve] : curves.curves) {
    Series series{
        label, {}, curves.simulated.at(label) ? Stroke::kDashed : Stroke::kSolid, colour++};
    for (const auto& [devices, rates] : curve)
      series.points.push_back(point_of(devices, rates, 1 / (devices * curves.one_device)));
    chart.series.push_back(std::move(series));
  }
  chart.series.push_back({"linear", {{0, 1}, {curves.most_devices, 1}}, Stroke::kReference, 0});
  return chart;
}

}  // namespace

std::string comparison_heading(const Json& record) {
  const std::string machine = text(record, "machine");
  return "comparison on " + (machine.empty() ? "this machine" : machine);
}

std::vector<std::string> comparison_verdict(const Subject& comparison) {
  std::vector<std::string> sentences;
  for (const std::string& model : models_of(comparison.record))
    sentences.push_back(verdict_on(comparison.record, model));
  if (sentences.empty()) sentences.emplace_back("The comparison has no cell.");
  return sentences;
}

std::vector<ScalingPoint> comparison_scaling(const Json& record) {
  std::vector<ScalingPoint> points;
  const bool foreseen = is_true(record, "simulated");
  for (const Json& cell : field(record, "cells")) {
    const std::string label = text(cell, "strategy") + (foreseen ? ", simulated" : "");
    const double devices = number_or_zero(cell, "devices");
    const Json& repeats = field(cell, "repeats");
    if (repeats.is_array() && repeats.size() > 1)
      for (const Json& repeat : repeats)
        points.push_back({text(cell, "model"), label, foreseen, devices, repeat.get<double>()});
    else if (rate_of(cell) > 0)
      points.push_back({text(cell, "model"), label, foreseen, devices, rate_of(cell)});
    if (const auto predicted = number(cell, "predicted_images_per_second"))
      points.push_back(
          {text(cell, "model"), text(cell, "strategy") + ", predicted", true, devices, *predicted});
  }
  return points;
}

std::vector<Figure> comparison_table(const Subject& comparison) {
  Table table{comparison.figure_title("All cells"),
              {"model", "strategy", "devices", "images/s", "step", "speed-up", "efficiency"},
              {}};
  for (const Json& cell : field(comparison.record, "cells")) {
    std::vector<std::string> row = {text(cell, "model"), text(cell, "strategy"),
                                    plain_number(number_or_zero(cell, "devices"))};
    const auto speed_up = number(cell, "speed_up");
    const auto efficiency = number(cell, "efficiency");
    if (rate_of(cell) > 0)
      row.insert(row.end(), {plain_number(rate_of(cell)),
                             quantity(number_or_zero(cell, "step_seconds"), Unit::kSeconds),
                             speed_up ? fmt::format("{:.2f}", *speed_up) : "-",
                             efficiency ? fmt::format("{:.1f} %", 100 * *efficiency) : "-"});
    else
      row.insert(row.end(), {"none: " + text(cell, "problem"), "", "", ""});
    table.rows.push_back(std::move(row));
  }
  return {std::move(table)};
}

std::vector<Figure> scaling_figures(const std::vector<ScalingPoint>& points) {
  std::vector<std::string> models;
  for (const ScalingPoint& point : points)
    if (std::ranges::find(models, point.model) == models.end()) models.push_back(point.model);
  std::vector<Figure> figures;
  for (const std::string& model : models) {
    const ModelCurves curves = curves_of(points, model);
    std::set<double> numbers;
    for (const auto& [label, curve] : curves.curves)
      for (const auto& [devices, rates] : curve) numbers.insert(devices);
    if (numbers.size() < 2) continue;
    figures.emplace_back(rates_chart(model, curves));
    if (curves.one_device > 0) figures.emplace_back(efficiency_chart(model, curves));
  }
  return figures;
}

}  // namespace convoy::report
