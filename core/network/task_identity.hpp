#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/network/launcher.hpp"
#include "core/network/task_name.hpp"

namespace convoy::network {

// The flags that say who this task is, as the user gave them. A flag that was not given is empty.
struct IdentityOptions {
  std::string job_name;  // worker, ps, controller
  std::optional<int> task_index;
  std::string ps_hosts;
  std::string worker_hosts;
  std::string controller_host;
};

// Who this task is and where the coordinator is. The chief is worker 0. The coordinator is the
// controller if the run has one, otherwise the chief.
struct TaskIdentity {
  Role role = Role::kWorker;
  int index = 0;
  int workers = 1;
  int servers = 0;
  bool controller = false;  // the run has a controller

  std::vector<HostPort> worker_hosts;  // by index; empty if a launcher started the tasks
  std::vector<HostPort> server_hosts;
  std::vector<std::string> launched_hosts;  // the hosts of the run, if a launcher names them
  // Nothing if a launcher started tasks on several hosts without naming them. Then a transport that
  // can exchange the address does so, or required_coordinator() refuses.
  std::optional<HostPort> coordinator;

  std::string source;   // "--job_name", "Open MPI", ...
  std::string run_key;  // tells runs apart that may share a host; empty if unknown

  bool is_chief() const { return role == Role::kWorker && index == 0; }
  bool is_coordinator() const { return controller ? role == Role::kController : is_chief(); }
  // The number of tasks of the run, the controller included.
  int tasks() const { return workers + servers + (controller ? 1 : 0); }
};

// Reads the flags, or else the environment. Returns nothing for a run of one process. It is a pure
// function. Throws Error (kUsage) with the flag or variable, its value and what to do.
std::optional<TaskIdentity> identify_task(const IdentityOptions& options,
                                          const EnvironmentLookup& environment);

// Returns the coordinator's address. Throws Error (kUsage) if it is not known.
const HostPort& required_coordinator(const TaskIdentity& identity);

// Returns where this task's transports listen: at the address in the lists. A chief uses a free
// port (0), because the coordinator takes the listed one. Without lists, the host is empty and the
// port is free: the host is then the address that reaches the coordinator (local_address_towards).
HostPort transport_address(const TaskIdentity& identity);

}  // namespace convoy::network
