#include "core/report/html/scaling_curves.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "core/base/numbers/statistics.hpp"

namespace convoy::report {
namespace {

using ConditionPart = std::string Conditions::*;
constexpr ConditionPart kConditions[] = {&Conditions::machine, &Conditions::software,
                                         &Conditions::batch, &Conditions::arithmetic};

std::string joined(const std::string& first, const std::string& second) {
  return first.empty() || second.empty() ? first + second : first + ", " + second;
}

// Names the curves of one model's points.
class CurveLabels {
 public:
  explicit CurveLabels(const std::vector<ScalingPoint>& points) {
    for (const ConditionPart part : kConditions) {
      std::set<std::string> words;
      for (const ScalingPoint& point : points) words.insert(point.conditions.*part);
      words.erase("");
      if (words.size() > 1) differing_.push_back(part);
    }
    find_clashes(points);
  }

  // Returns the mode, and those conditions of the point in which the points differ.
  std::string conditions(const ScalingPoint& point) const {
    std::string text = point.conditions.mode;
    for (const ConditionPart part : differing_) text = joined(text, point.conditions.*part);
    return text;
  }

  // Returns the labels of the curves that the point is on. It is one curve, unless the curves
  // differ in a detail that the point lacks.
  std::vector<std::string> labels(const ScalingPoint& point) const {
    std::vector<std::string> labels = {stem(point)};
    const auto clashes = clashes_.find(stem(point));
    if (clashes == clashes_.end()) return labels;
    for (const auto& [name, all] : clashes->second) {
      const auto own = point.details.find(name);
      const std::set<std::string> words =
          own == point.details.end() ? all : std::set<std::string>{own->second};
      std::vector<std::string> longer;
      for (const std::string& label : labels)
        for (const std::string& word : words) longer.push_back(joined(label, word));
      labels = std::move(longer);
    }
    return labels;
  }

 private:
  std::string stem(const ScalingPoint& point) const {
    return joined(point.label, conditions(point));
  }

  void find_clashes(const std::vector<ScalingPoint>& points) {
    std::map<std::pair<std::string, std::string>, std::set<std::string>> of_curve;
    std::map<std::tuple<std::string, std::string, double>, std::set<std::string>> of_count;
    for (const ScalingPoint& point : points)
      for (const auto& [name, words] : point.details) {
        of_curve[{stem(point), name}].insert(words);
        of_count[{stem(point), name, point.devices}].insert(words);
      }
    for (const auto& [key, words] : of_count) {
      const auto& [curve, name, devices] = key;
      if (words.size() > 1) clashes_[curve][name] = of_curve[{curve, name}];
    }
  }

  std::vector<ConditionPart> differing_;
  // For each curve and detail, the words of the detail, if points with the same number of devices
  // differ in it.
  std::map<std::string, std::map<std::string, std::set<std::string>>> clashes_;
};

struct Curve {
  bool simulated = false;
  std::string conditions;
  std::map<double, std::vector<double>> rates;  // rates of repeats, by number of devices
};

// The reference for all curves under the same conditions.
struct Reference {
  double one_device = 0;  // the best rate of one device; 0 if it is unknown
  double most_devices = 1;
};

struct ModelCurves {
  std::map<std::string, Curve> curves;          // by label
  std::map<std::string, Reference> references;  // by conditions
  std::string note = {};                        // about curves that are left out
};

// A reader can follow this many lines, and there are as many different colours and symbols.
constexpr std::size_t kMostCurves = 8;

double rate_of_most_devices(const Curve& curve) {
  return median(curve.rates.rbegin()->second);
}

void keep_fastest(ModelCurves& model_curves) {
  auto& curves = model_curves.curves;
  const std::size_t all = curves.size();
  if (all <= kMostCurves) return;
  model_curves.note = fmt::format("the fastest {} of {}", kMostCurves, all);
  while (curves.size() > kMostCurves)
    curves.erase(std::ranges::min_element(
        curves, {}, [](const auto& it) { return rate_of_most_devices(it.second); }));
}

ModelCurves curves_of(const std::vector<ScalingPoint>& points) {
  const CurveLabels names(points);
  ModelCurves result;
  for (const ScalingPoint& point : points)
    for (const std::string& label : names.labels(point)) {
      Curve& curve = result.curves[label];
      curve.simulated = point.simulated;
      curve.conditions = names.conditions(point);
      curve.rates[point.devices].push_back(point.rate);
    }
  for (const auto& [label, curve] : result.curves) {
    Reference& reference = result.references[curve.conditions];
    reference.most_devices = std::max(reference.most_devices, curve.rates.rbegin()->first);
    if (curve.rates.contains(1))
      reference.one_device = std::max(reference.one_device, median(curve.rates.at(1)));
  }
  keep_fastest(result);
  return result;
}

Point point_of(double devices, const std::vector<double>& rates, double factor) {
  Point point{devices, factor * median(rates)};
  if (rates.size() > 1)
    point.range = Interval{factor * *std::ranges::min_element(rates),
                           factor * *std::ranges::max_element(rates)};
  return point;
}

Series series_of(const std::string& label, const Curve& curve, std::size_t colour) {
  return {label, {}, curve.simulated ? Stroke::kDashed : Stroke::kSolid, colour};
}

LineChart rates_chart(const std::string& model, const ModelCurves& model_curves) {
  LineChart chart{"scaling-" + model,
                  model + ": speed over devices",
                  {"devices", Unit::kNumber, true},
                  {"speed", Unit::kRate},
                  {}};
  chart.note = model_curves.note;
  std::size_t colour = 0;
  for (const auto& [label, curve] : model_curves.curves) {
    Series series = series_of(label, curve, colour++);
    for (const auto& [devices, rates] : curve.rates)
      series.points.push_back(point_of(devices, rates, 1));
    chart.series.push_back(std::move(series));
  }
  for (const auto& [conditions, it] : model_curves.references)
    if (it.one_device > 0)
      chart.series.push_back({joined("linear", conditions),
                              {{0, 0}, {it.most_devices, it.one_device * it.most_devices}},
                              Stroke::kReference,
                              0});
  return chart;
}

// Has no series if the rate of one device is unknown under all conditions.
LineChart efficiency_chart(const std::string& model, const ModelCurves& model_curves) {
  LineChart chart{"efficiency-" + model,
                  model + ": efficiency against one device",
                  {"devices", Unit::kNumber, true},
                  {"share of linear scaling", Unit::kShare},
                  {},
                  {},
                  1.0,
                  model_curves.note};
  std::size_t colour = 0;
  double most_devices = 1;
  for (const auto& [label, curve] : model_curves.curves) {
    Series series = series_of(label, curve, colour++);
    const Reference& reference = model_curves.references.at(curve.conditions);
    if (reference.one_device <= 0) continue;
    for (const auto& [devices, rates] : curve.rates)
      series.points.push_back(point_of(devices, rates, 1 / (devices * reference.one_device)));
    most_devices = std::max(most_devices, reference.most_devices);
    chart.series.push_back(std::move(series));
  }
  if (!chart.series.empty())
    chart.series.push_back({"linear", {{0, 1}, {most_devices, 1}}, Stroke::kReference, 0});
  return chart;
}

bool has_several_counts(const std::vector<ScalingPoint>& points) {
  return std::ranges::any_of(
      points, [&](const ScalingPoint& point) { return point.devices != points.front().devices; });
}

std::string machine_words(const std::string& machine, double hosts) {
  const std::string count = fmt::format("{:.0f} x ", hosts);
  return machine.starts_with(count) ? machine.substr(count.size()) : machine;
}

}  // namespace

std::string batch_words(double images_per_device) {
  return images_per_device > 0 ? fmt::format("batch {:.0f}", images_per_device) : std::string();
}

std::string arithmetic_words(const std::string& dtype) {
  if (dtype == "f32") return "32-bit";
  return dtype.empty() || dtype == "tf32" ? dtype : "16-bit";
}

Conditions conditions_of(const Json& record) {
  const std::string software = text(record, "software");  // its name and its source
  return {.machine = machine_words(text(record, "machine"), number_or_zero(record, "hosts")),
          .software = software.substr(0, software.find(" (")),
          .batch = batch_words(number_or_zero(record, "batch_per_device")),
          .arithmetic = arithmetic_words(text(record, "compute_dtype"))};
}

std::map<std::string, std::string> option_words(const Json& options) {
  std::map<std::string, std::string> words;
  if (!options.is_object()) return words;
  for (const auto& [name, value] : options.items())
    if (value.is_string()) words[name] = name + "=" + value.get<std::string>();
  return words;
}

void add_hosts(ScalingPoint& point, double hosts) {
  if (hosts > 0 && point.devices > 1)
    point.details["hosts"] = fmt::format("{:g} per host", point.devices / hosts);
}

std::vector<Figure> scaling_figures(const std::vector<ScalingPoint>& points) {
  std::vector<std::string> models;
  std::map<std::string, std::vector<ScalingPoint>> of_model;
  for (const ScalingPoint& point : points) {
    if (!of_model.contains(point.model)) models.push_back(point.model);
    of_model[point.model].push_back(point);
  }
  std::vector<Figure> figures;
  for (const std::string& model : models) {
    if (!has_several_counts(of_model.at(model))) continue;
    const ModelCurves curves = curves_of(of_model.at(model));
    figures.emplace_back(rates_chart(model, curves));
    LineChart efficiency = efficiency_chart(model, curves);
    if (!efficiency.series.empty()) figures.emplace_back(std::move(efficiency));
  }
  return figures;
}

}  // namespace convoy::report
