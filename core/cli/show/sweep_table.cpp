#include "core/cli/show/sweep_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <ostream>
#include <tuple>

#include "core/base/text/csv_text.hpp"
#include "core/base/text/json.hpp"
#include "core/base/version.hpp"

namespace convoy::cli {
namespace {

using Json = nlohmann::ordered_json;

Json row_json(const SweepRow& row) {
  const auto known = [](std::uint32_t count) { return count > 0 ? Json(count) : Json(nullptr); };
  Json json = {{"machine", row.machine},
               {"model", row.model},
               {"variable_update", row.strategy},
               {"batch_per_device", known(row.batch)},
               {"hosts", row.hosts},
               {"devices_per_host", known(row.devices_per_host)},
               {"devices", known(row.hosts * row.devices_per_host)},
               {"compute_dtype", row.compute_dtype},
               {"software", row.software},
               {"layer_times", row.layer_times}};
  if (!row.figures) {
    for (const char* figure :
         {"images_per_second", "one_device_images_per_second", "efficiency", "step_seconds",
          "compute_seconds", "exposed_seconds", "bottleneck", "plan_hash"})
      json[figure] = nullptr;
  } else {
    json["images_per_second"] = row.figures->images_per_second;
    json["one_device_images_per_second"] = row.figures->one_device_rate;
    json["efficiency"] = row.figures->efficiency;
    json["step_seconds"] = row.figures->step_seconds;
    json["compute_seconds"] = row.figures->compute_seconds;
    json["exposed_seconds"] = row.figures->exposed_seconds;
    json["bottleneck"] = row.figures->bottleneck;
    json["plan_hash"] = row.figures->plan_hash;
  }
  json["taken"] = row.taken;
  json["exit_code"] = row.exit_code;
  json["problem"] = row.problem;
  return json;
}

// Numbers are written as they are, unknown values as an empty field.
std::string csv_field(const Json& value) {
  if (value.is_null()) return {};
  return value.is_string() ? csv_text(value.get_ref<const std::string&>()) : json_text(value);
}

std::string csv_line(const Json& row) {
  std::string line;
  for (const auto& [name, value] : row.items()) {
    if (!line.empty()) line += ',';
    line += csv_field(value);
  }
  return line + '\n';
}

std::string csv_header(const Json& row) {
  std::string line;
  for (const auto& [name, value] : row.items()) line += (line.empty() ? "" : ",") + name;
  return line + '\n';
}

std::size_t width(const std::vector<SweepRow>& rows, std::string JobRow::*field,
                  std::size_t least) {
  for (const SweepRow& row : rows) least = std::max(least, (row.*field).size());
  return least;
}

std::string count_text(std::uint32_t count) {
  return count > 0 ? fmt::format("{}", count) : "-";
}

}  // namespace

void compare_with_one_device(std::vector<SweepRow>& rows) {
  std::map<std::tuple<std::string, std::string, std::uint32_t>, double> fastest;
  for (const SweepRow& row : rows) {
    double& rate = fastest[{row.machine, row.model, row.batch}];
    if (row.figures) rate = std::max(rate, row.figures->one_device_rate);
  }
  for (SweepRow& row : rows) {
    if (!row.figures) continue;
    const double devices = row.hosts * row.devices_per_host;
    row.figures->efficiency =
        row.figures->images_per_second / (fastest[{row.machine, row.model, row.batch}] * devices);
  }
}

void print_sweep(std::ostream& out, const std::vector<SweepRow>& rows) {
  const std::size_t machine = width(rows, &SweepRow::machine, 7);
  const std::size_t model = width(rows, &SweepRow::model, 5);
  const std::size_t strategy = width(rows, &SweepRow::strategy, 8);
  out << fmt::format(
      "{:<{}}  {:<{}}  {:<{}}  batch  hosts  devices  images/sec  efficiency     step ms  exposed "
      "ms  bottleneck\n",
      "machine", machine, "model", model, "strategy", strategy);
  for (const SweepRow& row : rows) {
    out << fmt::format("{:<{}}  {:<{}}  {:<{}}  {:>5}  {:>5}  {:>7}  ", row.machine, machine,
                       row.model, model, row.strategy, strategy, count_text(row.batch), row.hosts,
                       count_text(row.hosts * row.devices_per_host));
    if (!row.figures) {
      out << "none: " << row.problem.substr(0, row.problem.find('\n')) << '\n';
      continue;
    }
    const SweepFigures& it = *row.figures;
    out << fmt::format("{:>10.2f}  {:>8.1f} %  {:>10.2f}  {:>10.2f}  {}{}{}\n",
                       it.images_per_second, 100 * it.efficiency, 1e3 * it.step_seconds,
                       1e3 * it.exposed_seconds, it.bottleneck, row.taken.empty() ? "" : "  ",
                       row.taken);
  }
  print_layer_times(out, rows);
}

bool has_row_per_point(const std::string& file) {
  return file.ends_with(".csv") || file.ends_with(".jsonl");
}

std::string sweep_json(const std::vector<SweepRow>& rows, bool interrupted) {
  Json record = {{"schema_version", 1},
                 {"simulated", true},
                 {"convoy_version", kVersion},
                 {"interrupted", interrupted},
                 {"points", Json::array()}};
  for (const SweepRow& row : rows) record["points"].push_back(row_json(row));
  return json_text(record, 2) + '\n';
}

std::string sweep_record(const std::vector<SweepRow>& rows, bool interrupted,
                         const std::string& file) {
  std::string text;
  if (file.ends_with(".csv")) {
    text = csv_header(row_json({}));
    for (const SweepRow& row : rows) text += csv_line(row_json(row));
  } else if (file.ends_with(".jsonl")) {
    for (const SweepRow& row : rows) text += json_text(row_json(row)) + '\n';
  } else {
    text = sweep_json(rows, interrupted);
  }
  return text;
}

}  // namespace convoy::cli
