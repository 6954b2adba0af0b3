#include "core/report/compare/difference_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "core/base/numbers/statistics.hpp"
#include "core/base/text/csv_text.hpp"
#include "core/base/text/json.hpp"
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

// These values come from one run of each side.
constexpr Measure kMeasures[] = {
    {"forward and backward", "step_breakdown/compute", Unit::kSeconds},
    {"aggregation, exposed", "step_breakdown/aggregation", Unit::kSeconds},
    {"waiting for other hosts", "step_breakdown/network", Unit::kSeconds},
    {"waiting for images", "step_breakdown/input_wait", Unit::kSeconds},
    {"memory planned", "memory/planned_bytes", Unit::kBytes},
    {"images per step", "global_batch", Unit::kNumber},
};

std::string percent_text(double ratio) {
  return fmt::format("{:+.1f} %", 100 * (ratio - 1));
}

std::string change_text(double first, double second) {
  return first > 0 ? percent_text(second / first) : std::string("-");
}

struct StepQuantile {
  const char* what;
  const char* name;  // name in records
  double fraction;
};

constexpr StepQuantile kStepQuantiles[] = {{"10 % of steps within", "p10", 0.1},
                                           {"20 % of steps within", "p20", 0.2},
                                           {"median step", "p50", 0.5},
                                           {"90 % of steps within", "p90", 0.9},
                                           {"99 % of steps within", "p99", 0.99}};

Row row_of(const char* what, double first, double second, Unit unit) {
  return {what, report::quantity(first, unit), report::quantity(second, unit),
          change_text(first, second)};
}

Row row_of_rates(std::string what, double first, double second) {
  return {std::move(what), report::plain_number(first), report::plain_number(second),
          change_text(first, second)};
}

// The first line is the subject of the verdict. Total rates also include everything between the
// steps.
std::vector<Row> rows_of(const DifferenceReport& it) {
  const Difference& d = it.difference;
  std::vector<Row> rows = {
      row_of_rates("images/s, " + (d.quantile == 0.5 ? "median steps" : quantile_name(d.quantile)),
                   1 / d.first_seconds, 1 / d.second_seconds)};
  rows.front().change = percent_text(d.speed_ratio());
  if (!it.a.rates.empty() && !it.b.rates.empty())
    rows.push_back(row_of_rates("images/s, whole runs", median(it.a.rates), median(it.b.rates)));
  rows.push_back({"runs", fmt::format("{}", d.first_runs), fmt::format("{}", d.second_runs), ""});
  for (const auto& [what, name, fraction] : kStepQuantiles)
    rows.push_back(row_of(what, quantile(it.a.steps, fraction), quantile(it.b.steps, fraction),
                          Unit::kSeconds));
  for (const Measure& measure : kMeasures) {
    const auto first = number(it.a.first, measure.path);
    const auto second = number(it.b.first, measure.path);
    if (!first || !second || (*first == 0 && *second == 0)) continue;
    rows.push_back(row_of(measure.what, *first, *second, measure.unit));
  }
  return rows;
}

// Returns a note about values that a record has for only one of its runs.
std::string note_on_single_runs(const DifferenceReport& it) {
  if (it.difference.first_runs == 1 && it.difference.second_runs == 1) return {};
  return "what is below \"99 % of steps within\" is of one run of each side\n";
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

std::string or_unset(const std::string& value) {
  return value.empty() ? "unset" : value;
}

// Returns the text as a table cell.
std::string markdown_cell(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '|' || c == '\\') result += '\\';
    result += c == '\n' ? ' ' : c;
  }
  return result;
}

Json side_json(const ComparedRecord& side, std::size_t runs, double seconds_per_image) {
  Json json = {{"records", side.side.name},
               {"runs", runs},
               {"images_per_sec", 1 / seconds_per_image},
               {"total_images_per_sec", side.rates.empty() ? Json() : Json(median(side.rates))}};
  if (!side.notices.empty()) json["notices"] = side.notices;
  for (const StepQuantile& it : kStepQuantiles)
    json["step_seconds"][it.name] = quantile(side.steps, it.fraction);
  return json;
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
  text += note_on_single_runs(it);
  const std::vector<FlagDifference> flags = flag_differences(it.a, it.b);
  if (!flags.empty()) text += "\nflags that differ:\n";
  for (const FlagDifference& flag : flags)
    text +=
        fmt::format("  --{}: {} and {}\n", flag.flag, or_unset(flag.first), or_unset(flag.second));
  return text;
}

std::string difference_markdown(const DifferenceReport& it) {
  std::string text =
      fmt::format("**{}**\n\n| | {} | {} | change |\n|---|---:|---:|---:|\n", sentence(it),
                  markdown_cell(it.a.side.name), markdown_cell(it.b.side.name));
  for (const Row& row : rows_of(it))
    text += fmt::format("| {} | {} | {} | {} |\n", row.what, row.first, row.second, row.change);
  for (const FlagDifference& flag : flag_differences(it.a, it.b))
    text += fmt::format("| `--{}` | {} | {} | |\n", flag.flag, markdown_cell(or_unset(flag.first)),
                        markdown_cell(or_unset(flag.second)));
  return text + "\n" + it.difference.method + "\n" + note_on_single_runs(it);
}

std::string difference_csv(const DifferenceReport& it) {
  const Difference& d = it.difference;
  return "first,second,first_runs,second_runs,first_images_per_sec,second_images_per_sec,"
         "time_change,low,high,confidence,quantile,verdict\n" +
         fmt::format("{},{},{},{},{},{},{},{},{},{},{},{}\n", csv_text(it.a.side.name),
                     csv_text(it.b.side.name), d.first_runs, d.second_runs, 1 / d.first_seconds,
                     1 / d.second_seconds, d.change, d.low, d.high, d.confidence, d.quantile,
                     word(d.verdict));
}

std::string difference_json(const DifferenceReport& it) {
  const Difference& d = it.difference;
  Json flags = Json::array();
  for (const FlagDifference& flag : flag_differences(it.a, it.b))
    flags.push_back({{"flag", flag.flag}, {"first", flag.first}, {"second", flag.second}});
  const Json record = {{"schema_version", 1},
                       {"first", side_json(it.a, d.first_runs, d.first_seconds)},
                       {"second", side_json(it.b, d.second_runs, d.second_seconds)},
                       {"verdict", word(d.verdict)},
                       {"time_change", d.change},
                       {"interval", {d.low, d.high}},
                       {"confidence", d.confidence},
                       {"quantile", d.quantile},
                       {"method", d.method},
                       {"flags", std::move(flags)}};
  return json_text(record, 2) + "\n";
}

}  // namespace convoy::compare
