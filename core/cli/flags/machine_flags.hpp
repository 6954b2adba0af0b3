#pragma once

#include <convoy/job_options.hpp>
#include <vector>

#include "core/cli/flags/flag.hpp"

namespace convoy::cli {

// The flags that say on what `convoy simulate` imagines a run.
std::vector<FlagDefinition> simulation_flags(MachineOptions& machine);

// The flags that say for what a strategy plans: these, --worker_hosts and --ps_hosts.
std::vector<FlagDefinition> planned_cluster_flags(MachineOptions& machine);

}  // namespace convoy::cli
