#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace convoy::cli {

// A strategy as a column of a comparison: "replicated:all_reduce_spec=xring".
struct ComparedStrategy {
  std::string label;
  std::vector<std::string> flags;  // "--variable_update=replicated", "--all_reduce_spec=xring"
};

// The options of `convoy compare`.
struct CompareRequest {
  std::vector<std::string> models;
  std::vector<std::uint32_t> counts;  // of devices per host
  std::vector<ComparedStrategy> strategies;
  std::string machine;  // the platform, or the file of a topology; empty: this machine
  std::uint32_t hosts = 1;
  bool simulated = false;
  bool json = false;
  std::uint32_t repeats = 1;        // runs of every cell, in turn with the others
  std::string output_file;          // for the record; empty: none
  std::string report_file;          // empty: none
  std::vector<std::string> common;  // flags of every cell
};

// Error kUsage naming the flag. Without --strategies: all that are installed, and auto.
CompareRequest parse_compare_request(std::span<const std::string> arguments);

std::string compare_help();

}  // namespace convoy::cli
