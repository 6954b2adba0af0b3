#pragma once

#include <convoy/job_options.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "core/plan/host_cluster.hpp"

namespace convoy::job {

// Whether the options describe another machine, by --platform or --topology. Error(kUsage) if they
// also name hosts one by one.
bool describes_machine(const MachineOptions& machine);
// Whether they describe neither a machine nor several hosts, so that plans are for the devices that
// a run opens here.
bool plans_for_this_machine(const MachineOptions& machine);

// The hosts of --hosts, --worker_hosts and --ps_hosts; the caller sets devices and peer access.
// --worker_hosts and --ps_hosts take addresses separated by commas, as tf_cnn_benchmarks did, or
// just a number: every worker is a host; a parameter server is on the worker's host whose name it
// has, else on a host of its own name. Error(kUsage) for flags that contradict each other.
plan::HostsDescription describe_hosts(const MachineOptions& machine);

// The number of hosts that the options name in any way: by --platform, or by describe_hosts(),
// hosts with servers alone included. Error(kUsage) as these.
std::uint32_t count_hosts(const MachineOptions& machine);

// The number of tasks that --worker_hosts and --ps_hosts name by address. In a run, every such task
// is a host of its own. Nothing if the flags only give numbers.
struct ListedTasks {
  std::uint32_t workers = 0;
  std::uint32_t servers = 0;
};
std::optional<ListedTasks> listed_tasks(const MachineOptions& machine);

// Error(kUsage) for more devices in all than plans support.
void require_devices(std::uint32_t hosts, std::uint32_t devices_per_host);

// "4 hosts, 2 parameter servers, "; empty for one host without parameter servers.
std::string hosts_text(const plan::HostsDescription& description);

}  // namespace convoy::job
