#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/cli/flags/run_flags.hpp"

namespace convoy {

// "1,2,4,8": numbers of devices per host. Error kUsage naming the flag for what is no such list.
std::vector<std::uint32_t> parse_device_counts(const std::string& flag, const std::string& list);

// --num_devices and --num_gpus of verbs that take lists where run takes one number; the options of
// the run get the last one. `counts` stays empty when neither is given.
std::vector<FlagDefinition> device_count_flags(RunCommand& command,
                                               std::vector<std::uint32_t>& counts);

}  // namespace convoy
