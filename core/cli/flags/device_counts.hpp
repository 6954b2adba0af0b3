#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/cli/flags/run_flags.hpp"

namespace convoy::cli {

// A flag that takes a list of numbers, and a description of what they count: "numbers of devices
// per host".
struct CountList {
  const char* flag;
  const char* counted;
  std::uint32_t least;
  std::uint32_t most;
};

// Parses "1,2,4,8". Error kUsage, naming the flag, if the list has anything but different numbers
// of this kind.
std::vector<std::uint32_t> parse_counts(const CountList& which, const std::string& list);

// Parses numbers of devices per host, with the bounds of --num_devices.
std::vector<std::uint32_t> parse_device_counts(const std::string& flag, const std::string& list);

// --num_devices and --num_gpus for verbs that take lists where run takes one number. The options of
// the run get the last number. `counts` stays empty if neither flag is given; the help then says
// that the verb takes `without`.
std::vector<FlagDefinition> device_count_flags(RunCommand& command,
                                               std::vector<std::uint32_t>& counts,
                                               const std::string& without = "all");

}  // namespace convoy::cli
