#include "core/report/html/sections.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

namespace convoy::report {
namespace {

double rate_of(const Json& cell) {
  return number_or_zero(cell, "images_per_second");
}

// Returns whether the devices exchange nothing. Such a run is no training of one model. It shows
// what the other strategies could reach at best.
bool shares_nothing(const Json& cell) {
  return text(cell, "verdict") == "independent";
}

// Returns "approximate" for "approximate (every gradient counts once)"; empty if nothing is known.
std::string kind_of(const Json& cell) {
  const std::string verdict = text(cell, "verdict");
  return verdict.substr(0, verdict.find(" ("));
}

bool computes_the_same(const Json& cell) {
  return kind_of(cell) == "synchronous";
}

std::string distance_text(const Json& cell, const Json& best) {
  const double slower = 100 * (1 - rate_of(cell) / rate_of(best));
  return slower < 0.05 ? "as fast" : fmt::format("{:.1f} % slower", slower);
}

// If the best cell does not compute what one device would, the next one named is the fastest that
// does.
std::string sentence_on(const Json& best, const std::vector<const Json*>& others) {
  const std::string kind = kind_of(best);
  const bool is_usual = kind.empty() || computes_the_same(best);
  std::string sentence =
      fmt::format("{} on {}: {}{} is fastest with {}", text(best, "model"),
                  counted(count_or_zero(best, "devices"), "device"), text(best, "strategy"),
                  is_usual ? "" : " (" + kind + ")", quantity(rate_of(best), Unit::kRate));
  if (const auto efficiency = number(best, "efficiency"))
    sentence += fmt::format(", {:.1f} % of linear scaling", 100 * *efficiency);
  const auto next = std::ranges::find_if(
      others, [&](const Json* it) { return is_usual || computes_the_same(*it); });
  if (next != others.end())
    sentence += fmt::format("; {} is {}, {}", is_usual ? "next" : "the fastest synchronous one",
                            text(**next, "strategy"), distance_text(**next, best));
  return sentence + ".";
}

// Returns the verdict on the cells with the largest number of devices for the model.
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
  const auto shares = [](const Json* it) { return !shares_nothing(*it); };
  if (devices > 1 && std::ranges::any_of(cells, shares)) std::erase_if(cells, std::not_fn(shares));
  return sentence_on(*cells.front(), {cells.begin() + 1, cells.end()});
}

std::vector<std::string> models_of(const Json& record) {
  std::vector<std::string> models;
  for (const Json& cell : field(record, "cells"))
    if (std::ranges::find(models, text(cell, "model")) == models.end())
      models.push_back(text(cell, "model"));
  return models;
}

// The cells of one strategy for one model, by number of devices.
struct StrategyRow {
  std::string strategy;
  std::map<double, const Json*> cells;
};

std::vector<StrategyRow> rows_of(const Json& record, const std::string& model) {
  std::vector<StrategyRow> rows;
  for (const Json& cell : field(record, "cells")) {
    if (text(cell, "model") != model || rate_of(cell) <= 0) continue;
    auto row = std::ranges::find(rows, text(cell, "strategy"), &StrategyRow::strategy);
    if (row == rows.end()) row = rows.insert(rows.end(), {text(cell, "strategy"), {}});
    row->cells[number_or_zero(cell, "devices")] = &cell;
  }
  return rows;
}

std::string rate_text(const StrategyRow& row, double devices) {
  const auto cell = row.cells.find(devices);
  if (cell == row.cells.end()) return "-";
  const auto efficiency = number(*cell->second, "efficiency");
  return plain_number(rate_of(*cell->second)) +
         (efficiency ? fmt::format(" ({:.1f}\u00a0%)", 100 * *efficiency) : "");
}

// Sorted by the rate with the most devices, fastest first.
Table rates_table(const Subject& comparison, const std::string& model) {
  std::vector<StrategyRow> rows = rows_of(comparison.record, model);
  std::set<double> counts;
  for (const StrategyRow& row : rows)
    for (const auto& [devices, cell] : row.cells) counts.insert(devices);
  std::ranges::stable_sort(rows, std::greater<>(), [](const StrategyRow& row) {
    const auto& [devices, cell] = *row.cells.rbegin();
    return std::pair(devices, rate_of(*cell));
  });
  Table table{comparison.figure_title(model + ": images/s, and their share of linear scaling"),
              {"strategy"},
              {}};
  for (const double devices : counts)
    table.heads.push_back(counted(static_cast<std::size_t>(devices), "device"));
  table.heads.emplace_back("what it computes");
  for (const StrategyRow& row : rows) {
    table.rows.push_back({row.strategy});
    for (const double devices : counts) table.rows.back().push_back(rate_text(row, devices));
    table.rows.back().push_back(text(*row.cells.rbegin()->second, "verdict"));
  }
  return table;
}

// Lists the choices of auto.
Table choices_table(const Subject& comparison) {
  Table table{
      comparison.figure_title("What was chosen"), {"model", "devices", "strategy", "flags"}, {}};
  for (const Json& cell : field(comparison.record, "cells"))
    if (!text(cell, "taken").empty())
      table.rows.push_back({text(cell, "model"), plain_number(number_or_zero(cell, "devices")),
                            text(cell, "strategy"), text(cell, "taken")});
  return table;
}

// Has one row per strategy and reason, for all models together.
Table problems_table(const Subject& comparison) {
  Table table{
      comparison.figure_title("What has no rate, and why"), {"strategy", "devices", "reason"}, {}};
  std::map<std::pair<std::string, std::string>, std::set<double>> reasons;
  for (const Json& cell : field(comparison.record, "cells"))
    if (rate_of(cell) <= 0)
      reasons[{text(cell, "strategy"), text(cell, "problem")}].insert(
          number_or_zero(cell, "devices"));
  for (const auto& [reason, counts] : reasons)
    table.rows.push_back({reason.first, fmt::format("{}", fmt::join(counts, ", ")), reason.second});
  return table;
}

}  // namespace

std::string comparison_heading(const Json& record) {
  const std::string machine = text(record, "machine");
  return "Comparison on " + (machine.empty() ? "this machine" : machine);
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
    point.conditions = conditions_of(cell);
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

std::vector<Figure> comparison_tables(const Subject& comparison) {
  std::vector<Figure> tables;
  const auto add = [&](Table table) {
    if (!table.rows.empty()) tables.emplace_back(std::move(table));
  };
  for (const std::string& model : models_of(comparison.record)) add(rates_table(comparison, model));
  add(choices_table(comparison));
  add(problems_table(comparison));
  return tables;
}

}  // namespace convoy::report
