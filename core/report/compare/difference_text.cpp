#include "core/report/compare/difference_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "core/base/json.hpp"
#include "core/report/html/quantity.hpp"
#include "core/report/html/record_fields.hpp"

namespace convoy::compare {
namespace {

using Json = nlohmann::ordered_json;
using report::number;
using report::Unit;

struct Row {
  std::string what;
  std::string first;
  std::string second;
  std::string change;
};

struct Measure {
  const char* what;
  const char* path;
  Unit unit;
};

constexpr Measure kMeasures[] = {
    {"median step", "total/step_seconds/p50", Unit::kSeconds},
    {"90 % of steps within", "total/step_seconds/p90", Unit::kSeconds},
    {"99 % of steps within", "total/step_seconds/p99", Unit::kSeconds},
    {"forward and backward", "step_breakdown/compute", Unit::kSeconds},
    {"aggregation, exposed", "step_breakdown/aggregation", Unit::kSeconds},
    {"waiting for other hosts", "step_breakdown/network", Unit::kSeconds},
    {"waiting for images", "step_breakdown/input_wait", Unit::kSeconds},
    {"memory planned", "memory/planned_bytes", Unit::kBytes},
    {"images per step", "global_batch", Unit::kNumber},
};

std::string change_text(double first, double second) {
  return first > 0 ? fmt::format("{:+.1f} %", 100 * (second / first - 1)) : std::string("-");
}

// The first line is what the verdict is about; the others are of the first run of each side.
std::vector<Row> rows_of(const DifferenceReport& it) {
  const Difference& d = it.difference;
  std::vector<Row> rows = {
      {"images/s", report::plain_number(1 / d.first_median),
       report::plain_number(1 / d.second_median),
       change_text(1 / d.first_median, 1 / d.second_median)},
      {"runs", fmt::format("{}", d.first_runs), fmt::format("{}", d.second_runs), ""}};
  for (const Measure& measure : kMeasures) {
    const auto first = number(it.a.first, measure.path);
    const auto second = number(it.b.first, measure.path);
    if (!first || !second || (*first == 0 && *second == 0)) continue;
    rows.push_back({measure.what, report::quantity(*first, measure.unit),
                    report::quantity(*second, measure.unit), change_text(*first, *second)});
  }
  return rows;
}

std::string sentence(const DifferenceReport& it) {
  const Difference& d = it.difference;
  return fmt::format("{} against {}: {} ({:.0f} % confidence)", it.b.side.name, it.a.side.name,
                     verdict_text(d), 100 * d.confidence);
}

std::string table_line(const Row& row) {
  std::string line =
      fmt::format("{:<24}{:>16}{:>16}{:>12}", row.what, row.first, row.second, row.change);
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) result += c == '"' ? std::string("\"\"") : std::string(1, c);
  return result + "\"";
}

const char* word(Verdict verdict) {
  switch (verdict) {
    case Verdict::kFaster:
      return "faster";
    case Verdict::kSlower:
      return "slower";
    default:
      return "no difference seen";
  }
}

}  // namespace

std::string difference_text(const DifferenceReport& it) {
  std::string text = sentence(it) + "\n" + it.difference.method + "\n";
  if (const std::string resolution = resolution_text(it.difference); !resolution.empty())
    text += resolution + "\n";
  text += "\n";
  std::vector<Row> rows = rows_of(it);
  rows.insert(rows.begin(), {"", "first", "second", "change"});
  for (const Row& row : rows) text += table_line(row);
  const std::vector<FlagDifference> flags = flag_differences(it.a, it.b);
  if (!flags.empty()) text += "\nflags that differ:\n";
  for (const FlagDifference& flag : flags)
    text += fmt::format("  --{}: {} and {}\n", flag.flag, flag.first.empty() ? "unset" : flag.first,
                        flag.second.empty() ? "unset" : flag.second);
  return text;
}

std::string difference_markdown(const DifferenceReport& it) {
  std::string text = fmt::format("**{}**\n\n| | {} | {} | change |\n|---|---:|---:|---:|\n",
                                 sentence(it), it.a.side.name, it.b.side.name);
  for (const Row& row : rows_of(it))
    text += fmt::format("| {} | {} | {} | {} |\n", row.what, row.first, row.second, row.change);
  for (const FlagDifference& flag : flag_differences(it.a, it.b))
    text += fmt::format("| `--{}` | {} | {} | |\n", flag.flag, flag.first, flag.second);
  return text + "\n" + it.difference.method + "\n";
}

std::string difference_csv(const DifferenceReport& it) {
  const Difference& d = it.difference;
  return "first,second,first_runs,second_runs,first_images_per_sec,second_images_per_sec,"
         "time_change,low,high,confidence,verdict\n" +
         fmt::format("{},{},{},{},{},{},{},{},{},{},{}\n", quoted(it.a.side.name),
                     quoted(it.b.side.name), d.first_runs, d.second_runs, 1 / d.first_median,
                     1 / d.second_median, d.change, d.low, d.high, d.confidence, word(d.verdict));
}

std::string difference_json(const DifferenceReport& it) {
  const Difference& d = it.difference;
  Json flags = Json::array();
  for (const FlagDifference& flag : flag_differences(it.a, it.b))
    flags.push_back({{"flag", flag.flag}, {"first", flag.first}, {"second", flag.second}});
  const Json record = {{"schema_version", 1},
                       {"first",
                        {{"records", it.a.side.name},
                         {"runs", d.first_runs},
                         {"images_per_sec", 1 / d.first_median}}},
                       {"second",
                        {{"records", it.b.side.name},
                         {"runs", d.second_runs},
                         {"images_per_sec", 1 / d.second_median}}},
                       {"verdict", word(d.verdict)},
                       {"time_change", d.change},
                       {"interval", {d.low, d.high}},
                       {"confidence", d.confidence},
                       {"method", d.method},
                       {"flags", std::move(flags)}};
  return json_text(record, 2) + "\n";
}

}  // namespace convoy::compare
