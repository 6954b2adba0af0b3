#include <algorithm>
#include <utility>

#include "core/report/html/sections.hpp"

namespace convoy::report {
namespace {

// Returns each different text or number of that name once, in the order of the rows.
std::vector<std::string> texts_of(const Json& rows, const char* name) {
  std::vector<std::string> texts;
  for (const Json& row : rows)
    if (const std::string value =
            number(row, name) ? plain_number(number_or_zero(row, name)) : text(row, name);
        !value.empty() && std::ranges::find(texts, value) == texts.end())
      texts.push_back(value);
  return texts;
}

}  // namespace

std::vector<Figure> rows_environment(const Subject& subject) {
  const Json& record = subject.record;
  const Json& rows = field(record, record.contains("points") ? "points" : "cells");
  Table table{subject.figure_title("What ran, and where"), {}, {}};
  if (is_true(record, "simulated")) table.title = subject.figure_title("What was simulated");
  const std::pair<const char*, const char*> names[] = {
      {"machine", "machine"},
      {"software", "software"},
      {"layers' times", "layer_times"},
      {"computes in", "compute_dtype"},
      {"threads per device", "threads_per_device"}};
  for (const auto& [label, name] : names)
    for (const std::string& value : texts_of(rows, name)) table.rows.push_back({label, value});
  if (const std::string version = text(record, "convoy_version"); !version.empty())
    table.rows.push_back({"convoy", version});
  table.rows.push_back({"record", subject.name});
  return {std::move(table)};
}

}  // namespace convoy::report
