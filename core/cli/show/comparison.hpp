#pragma once

#include <cstdint>
#include <iosfwd>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/cli/show/job_row.hpp"

namespace convoy::cli {

// The result for one model on a number of devices under one strategy.
struct ComparisonCell : JobRow {
  std::uint32_t replicas = 1;               // devices of all hosts together
  std::optional<double> images_per_second;  // total over all devices; none: `problem` says why
  std::vector<double> repeats;              // images per second of each run of the cell
  double step_seconds = 0;
  std::vector<double> repeated_steps;  // seconds per step in each run of the cell
  double one_device_rate = 0;          // simulated rate of the strategy on one device; 0: unknown
  // Threads of each CPU device; 0: there are none, or the number is unknown.
  std::int64_t threads_per_device = 0;
  std::string plan_hash;  // of the lowered plan
  std::string verdict;    // the checker's verdict on the plan
};

// Adds a run to the cell. The figures of the first run become the cell's; with further runs, they
// become the medians of all. A run without a rate makes the cell one without a rate, because its
// job fails now and then.
void add_run(ComparisonCell run, ComparisonCell& cell);

// A table of cells, with the rates on one device that its speed-ups refer to.
struct Comparison {
  bool simulated = false;
  std::string machine;  // the platform; empty: this machine
  std::vector<ComparisonCell> cells;
  std::map<std::string, double> one_device;  // images per second, by model

  // Returns the speed-up against one device; empty if either rate is unknown.
  std::optional<double> speed_up(const ComparisonCell& cell) const;
  // Returns the rate that the cell's number of devices would have with linear scaling.
  std::optional<double> linear(const ComparisonCell& cell) const;
};

void print_comparison(std::ostream& out, const Comparison& comparison);
std::string comparison_json(const Comparison& comparison);

}  // namespace convoy::cli
