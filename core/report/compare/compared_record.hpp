#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/report/compare/difference.hpp"
#include "core/report/html/report.hpp"

namespace convoy::compare {

// Records of one side, read: one of `run --output_file=x.json`, with what --repeat added to it, or
// several of the same thing.
struct ComparedRecord {
  Side side;
  std::vector<double> rates;     // total images/s of its runs, where they are known
  std::vector<double> steps;     // seconds of the steps of all its runs
  nlohmann::ordered_json first;  // of its records, without its steps
  // One for each record of a run that did not get to its end: its steps so far are compared.
  std::vector<std::string> notices;
};

// files: separated by commas. Error(kUsage) naming the file that is no record of a run, or of one
// without timed steps.
ComparedRecord read_compared(const std::string& files);

// The same of records that are there, at least one; name is that of the side.
ComparedRecord compared(const std::string& name, const std::vector<report::NamedRecord>& records);

// Why two records cannot be compared, in words, one per line: they are of other machines, models or
// data. Empty: they can.
std::vector<std::string> unlike(const ComparedRecord& a, const ComparedRecord& b);

// What else differs: flags with both values, without those about files.
struct FlagDifference {
  std::string flag;
  std::string first;
  std::string second;
};
std::vector<FlagDifference> flag_differences(const ComparedRecord& a, const ComparedRecord& b);

}  // namespace convoy::compare
