#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/report/compare/difference.hpp"
#include "core/report/html/report.hpp"

namespace convoy::compare {

// The records of one side, as they were read: one record of `run --output_file=x.json`, with the
// runs of --repeat, or several records of the same thing.
struct ComparedRecord {
  Side side;
  std::vector<double> rates;     // total images/s of its runs, if known
  std::vector<double> steps;     // seconds of each step of all its runs
  nlohmann::ordered_json first;  // the first of its records, without its steps
  // A notice for each record of a run that did not get to its end. The steps so far are compared.
  std::vector<std::string> notices;
};

// files: paths, separated by commas. Error(kUsage) naming a file that is not the record of a run,
// or of a run without timed steps.
ComparedRecord read_compared(const std::string& files);

// The same for records that are already in memory, at least one. `name` is the name of the side.
ComparedRecord compared(const std::string& name, const std::vector<report::NamedRecord>& records);

// Returns why two records cannot be compared, in words, one reason per line: they are of different
// machines, models or data. Empty: they can be compared.
std::vector<std::string> unlike(const ComparedRecord& a, const ComparedRecord& b);

// A further difference: a flag with both values. Flags about files are left out.
struct FlagDifference {
  std::string flag;
  std::string first;
  std::string second;
};
std::vector<FlagDifference> flag_differences(const ComparedRecord& a, const ComparedRecord& b);

}  // namespace convoy::compare
