#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace convoy::cli {

// A strategy that is a column of a comparison: "replicated:all_reduce_spec=xring".
struct ComparedStrategy {
  std::string label;
  std::vector<std::string> flags;  // "--variable_update=replicated", "--all_reduce_spec=xring"
};

// The options of `convoy compare`.
struct CompareRequest {
  std::vector<std::string> models;
  std::vector<std::uint32_t> counts;  // numbers of devices per host
  std::vector<ComparedStrategy> strategies;
  std::string machine;  // the platform, or a topology's file; empty: this machine
  std::uint32_t hosts = 1;
  bool simulated = false;
  bool json = false;
  std::uint32_t repeats = 1;        // runs of every cell, which alternate with those of other cells
  std::string output_file;          // file of the record; empty: none
  std::string report_file;          // empty: none
  std::vector<std::string> common;  // flags that every cell gets
};

// Parses the verb's arguments. Error kUsage names the flag. Without --strategies, it compares all
// installed strategies and auto.
CompareRequest parse_compare_request(std::span<const std::string> arguments);

std::string compare_help();

}  // namespace convoy::cli
