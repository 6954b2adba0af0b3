#pragma once

#include <convoy/job.hpp>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "core/cli/show/job_row.hpp"

namespace convoy::cli {

// The prediction at one point of a sweep.
struct SweepFigures : SimulatedJob {
  double one_device_rate = 0;  // images per second, with the same strategy
  double efficiency = 0;  // rate, relative to as many devices that each are as fast as one alone
};

// One point of a sweep, with its outcome.
struct SweepRow : JobRow {
  std::uint32_t devices_per_host = 0;  // 0: unknown, because the point was refused
  std::optional<SweepFigures> figures;
};

// Sets the efficiencies of all rows. The reference is the fastest single device of the same
// machine, model and batch, whatever its strategy, so that strategies can be compared.
void compare_with_one_device(std::vector<SweepRow>& rows);

// Prints one line per point, for people.
void print_sweep(std::ostream& out, const std::vector<SweepRow>& rows);

// Returns whether a file of that name takes a line per point: .csv and .jsonl.
bool has_row_per_point(const std::string& file);

// Returns all rows in one object, in the form that a report reads. `interrupted`: rows are missing.
std::string sweep_json(const std::vector<SweepRow>& rows, bool interrupted);

// Returns the record for machines, by the suffix of the file's name: .csv with a header, .jsonl
// with an object per point, .json as sweep_json().
std::string sweep_record(const std::vector<SweepRow>& rows, bool interrupted,
                         const std::string& file);

}  // namespace convoy::cli
