#pragma once

#include <cstdint>
#include <iosfwd>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/cli/show/job_row.hpp"

namespace convoy::cli {

// One model on a number of devices under one strategy, and the result.
struct ComparisonCell : JobRow {
  std::uint32_t replicas = 1;               // devices of all hosts
  std::optional<double> images_per_second;  // of all devices together; none: see problem
  std::vector<double> repeats;              // images per second of each run of the cell
  double step_seconds = 0;
  std::vector<double> repeated_steps;   // seconds of a step of each run of the cell
  double one_device_rate = 0;           // simulated: of the strategy on one device; 0: not known
  std::int64_t threads_per_device = 0;  // of CPU devices; 0: they have none, or not known
  std::string plan_hash;                // of the lowered plan
  std::string verdict;                  // what the plan computes, as the checker proved
};

// Takes in a run of the cell: what it gives is the first, or its figures become medians of all
// runs. A run without a rate takes the cell's: one that fails now and then has none.
void add_run(ComparisonCell run, ComparisonCell& cell);

// A table of cells, and the rates that its speed-ups are against.
struct Comparison {
  bool simulated = false;
  std::string machine;  // the platform; empty: this machine
  std::vector<ComparisonCell> cells;
  std::map<std::string, double> one_device;  // images per second, per model

  // Against one device; none where either rate is unknown.
  std::optional<double> speed_up(const ComparisonCell& cell) const;
  // The rate of the cell's number of devices with linear scaling.
  std::optional<double> linear(const ComparisonCell& cell) const;
};

void print_comparison(std::ostream& out, const Comparison& comparison);
std::string comparison_json(const Comparison& comparison);

}  // namespace convoy::cli
