#pragma once

#include <convoy/job_options.hpp>
#include <vector>

#include "core/cli/flags/flag.hpp"

namespace convoy::cli {

// The heading of these flags in the help.
inline constexpr const char* kMachineGroup = "For which machine";

// The flags that describe the machine that `convoy simulate` simulates.
std::vector<FlagDefinition> simulation_flags(MachineOptions& machine);

// The flags that describe the cluster that a strategy plans for: the flags above, --worker_hosts
// and --ps_hosts.
std::vector<FlagDefinition> planned_cluster_flags(MachineOptions& machine);

}  // namespace convoy::cli
