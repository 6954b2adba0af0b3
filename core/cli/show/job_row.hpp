#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "core/base/error.hpp"

namespace convoy::cli {

// One job in a table of several jobs, with its outcome. Values that are unknown, because the job
// was refused, are 0 or empty.
struct JobRow {
  std::string machine;  // the devices, or the simulated machine
  std::string model;
  std::string strategy;  // as asked for
  std::string taken;     // with auto: the flags that it chose
  std::string software;  // the simulated program; empty: the job was really run
  // The origin of the simulated layers' times, and their possible error. Empty: the job was really
  // run.
  std::string layer_times;
  std::uint32_t hosts = 1;
  std::uint32_t batch = 0;    // images per device and step
  std::string compute_dtype;  // as the job's own record names it
  int exit_code = 0;
  std::string problem;  // the reason why there are no figures
};

// Prints, below a table of simulated jobs, each origin of their layers' times once.
template <typename Row>
void print_layer_times(std::ostream& out, const std::vector<Row>& rows) {
  std::vector<std::string> told;
  for (const JobRow& row : rows) {
    if (row.layer_times.empty() || std::ranges::find(told, row.layer_times) != told.end()) continue;
    told.push_back(row.layer_times);
    out << "Layer times: " << row.layer_times << '\n';
  }
}

// Returns 0 if any row has figures, else the first row's exit code.
template <typename Row, typename Figures>
int exit_code_of(const std::vector<Row>& rows, std::optional<Figures> Row::*figures) {
  const bool any = std::ranges::any_of(
      rows, [](const std::optional<Figures>& it) { return it.has_value(); }, figures);
  return any || rows.empty() ? 0 : rows.front().exit_code;
}

// If every row has the same usage error, the command line is wrong: throws Error(kUsage) with that
// error.
template <typename Row>
void refuse_common_mistake(const std::vector<Row>& rows, const std::string& before = {}) {
  const bool alike = std::ranges::all_of(rows, [&](const JobRow& row) {
    return row.exit_code == static_cast<int>(ExitCode::kUsage) &&
           row.problem == rows.front().problem;
  });
  if (!rows.empty() && alike) fail(ExitCode::kUsage, "{}{}", before, rows.front().problem);
}

}  // namespace convoy::cli
