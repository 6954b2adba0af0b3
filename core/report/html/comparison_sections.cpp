#include "core/report/html/comparison_sections.hpp"

#include <fmt/format.h>

#include <algorithm>

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
    ScalingPoint point{text(cell, "model"),
                       text(cell, "strategy") + (foreseen ? ", simulated" : ""), foreseen,
                       number_or_zero(cell, "devices")};
    point.ground = ground_of(cell);
    add_hosts(point, number_or_zero(cell, "hosts"));
    const auto add = [&](double rate) {
      point.rate = rate;
      points.push_back(point);
    };
    const Json& repeats = field(cell, "repeats");
    if (repeats.is_array() && repeats.size() > 1)
      for (const Json& repeat : repeats) add(listed_number(repeat));
    else if (rate_of(cell) > 0)
      add(rate_of(cell));
    point.label = text(cell, "strategy") + ", predicted";
    point.simulated = true;
    if (const auto predicted = number(cell, "predicted_images_per_second")) add(*predicted);
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

}  // namespace convoy::report
