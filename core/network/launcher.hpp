#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/network/host_port.hpp"

namespace convoy::network {

// The value of an environment variable, if it is set. A function, so that tests need no
// environment.
using EnvironmentLookup = std::function<std::optional<std::string>(const std::string& variable)>;

// What the program that started this process says of it.
struct LaunchedProcess {
  std::string launcher;       // "Open MPI", "MPICH", "whoever set RANK and WORLD_SIZE", "Slurm"
  std::string rank_variable;  // where the rank comes from
  int rank = 0;
  int size = 1;
  int local_rank = 0;
  std::optional<int> local_size;  // processes on this host, if it is said
  // Where rank 0 listens, if it can be told.
  std::optional<HostPort> coordinator;
  std::vector<std::string> hosts;  // of the run, where the coordinator was told from their list
  // Differs between runs that may share a host: a job's number. Empty if there is none.
  std::string run_key;
};

// Reads OMPI_COMM_WORLD_*, PMI_* and PMIX_*, RANK and its companions, SLURM_*, in this order: a
// launcher inside a Slurm job knows better than the job. Nothing: no launcher started this process.
// Throws Error with exit code kUsage: the variable, its value and what to do.
std::optional<LaunchedProcess> launched_process(const EnvironmentLookup& environment);

// The lookup in this process's environment.
EnvironmentLookup process_environment();

}  // namespace convoy::network
