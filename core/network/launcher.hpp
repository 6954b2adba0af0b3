#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/network/host_port.hpp"

namespace convoy::network {

// Returns the value of an environment variable, if it is set. It is a function, so that tests need
// no environment.
using EnvironmentLookup = std::function<std::optional<std::string>(const std::string& variable)>;

// What the launcher that started this process says about it.
struct LaunchedProcess {
  std::string launcher;  // "Open MPI", "MPICH", "whoever set RANK and WORLD_SIZE", "Slurm"
  int rank = 0;
  int size = 1;
  std::optional<int> local_size;  // processes on this host, if known
  // Where rank 0 listens, if known.
  std::optional<HostPort> coordinator;
  // The hosts of the run, if the coordinator was found in their list.
  std::vector<std::string> hosts;
  // Tells runs apart that may share a host: a job's number. Empty if there is none.
  std::string run_key;
};

// Reads OMPI_COMM_WORLD_*, PMI_* and PMIX_*, RANK and its companions, SLURM_*, in this order,
// because a launcher inside a Slurm job knows more than the job. Returns nothing if no launcher
// started this process. Throws Error (kUsage) with the variable, its value and what to do.
std::optional<LaunchedProcess> launched_process(const EnvironmentLookup& environment);

// Returns the lookup in this process's environment.
EnvironmentLookup process_environment();

}  // namespace convoy::network
