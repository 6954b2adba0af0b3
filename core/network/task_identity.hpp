#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/network/launcher.hpp"
#include "core/network/task_name.hpp"

namespace convoy::network {

// The flags that say who this task is, as they were given; empty: not given.
struct IdentityOptions {
  std::string job_name;  // worker, ps, controller
  std::optional<int> task_index;
  std::string ps_hosts;
  std::string worker_hosts;
  std::string controller_host;
};

// Who this task is and where the coordinator is. The chief is worker 0; the coordinator is the
// controller where one has a process of its own, else the chief.
struct TaskIdentity {
  Role role = Role::kWorker;
  int index = 0;
  int workers = 1;
  int servers = 0;
  bool controller = false;  // one task only coordinates

  std::vector<HostPort> worker_hosts;  // by index; empty: a launcher started the tasks
  std::vector<HostPort> server_hosts;
  std::vector<std::string> launched_hosts;  // of the run, where a launcher says them
  // Nothing: a launcher started tasks on several hosts and did not say where; a transport with a
  // way of its own carries the address, or required_coordinator refuses.
  std::optional<HostPort> coordinator;

  int local_index = 0;  // among the tasks of this host, as far as known
  std::optional<int> local_count;
  std::string source;   // "--job_name", "Open MPI", ...
  std::string run_key;  // differs between runs that may share a host; empty if unknown

  bool is_chief() const { return role == Role::kWorker && index == 0; }
  bool is_coordinator() const { return controller ? role == Role::kController : is_chief(); }
  // Tasks of the run, the controller included.
  int tasks() const { return workers + servers + (controller ? 1 : 0); }
};

// Reads the flags, else the environment. Nothing: a run of one process. A pure function. Throws
// Error with exit code kUsage: the flag or variable, its value and what to do.
std::optional<TaskIdentity> identify_task(const IdentityOptions& options,
                                          const EnvironmentLookup& environment);

// The coordinator's address. Throws Error with exit code kUsage when it is not known.
const HostPort& required_coordinator(const TaskIdentity& identity);

// Where this task's transports listen: the address that the lists give, with a free port (0) for a
// chief whose listed port the coordinator takes. Without lists the host is empty: it is the address
// that reaches the coordinator (local_address_towards), with a free port.
HostPort transport_address(const TaskIdentity& identity);

}  // namespace convoy::network
