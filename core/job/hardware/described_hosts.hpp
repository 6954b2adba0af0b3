#pragma once

#include <convoy/job_options.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "core/plan/host_cluster.hpp"

namespace convoy::job {

// Returns whether the options describe another machine, by --platform or --topology. Error(kUsage)
// if they also name hosts one by one.
bool describes_machine(const MachineOptions& machine);
// Returns whether the options describe neither a machine nor several hosts, so that plans are for
// the devices that a run opens here.
bool plans_for_this_machine(const MachineOptions& machine);

// Returns the hosts of --hosts, --worker_hosts and --ps_hosts. The caller sets devices and peer
// access. --worker_hosts and --ps_hosts take addresses separated by commas, as tf_cnn_benchmarks
// did, or just a number. Every worker is a host. A parameter server is on the host of the worker
// with the same host name, else on a host of its own. Error(kUsage) for flags that contradict each
// other.
plan::HostsDescription describe_hosts(const MachineOptions& machine);

// Returns the number of hosts that the options name in any way: by --platform, or by
// describe_hosts(), hosts with only servers included. Error(kUsage) as these.
std::uint32_t count_hosts(const MachineOptions& machine);

// The number of tasks that --worker_hosts and --ps_hosts name by address. In a run, every such task
// is a host of its own. Nothing if the flags only give numbers.
struct ListedTasks {
  std::uint32_t workers = 0;
  std::uint32_t servers = 0;
};
std::optional<ListedTasks> listed_tasks(const MachineOptions& machine);

// Error(kUsage) if there are more devices in all than plans support.
void require_devices(std::uint32_t hosts, std::uint32_t devices_per_host);

// Returns a text such as "4 hosts, 2 parameter servers, "; empty for one host without parameter
// servers.
std::string hosts_text(const plan::HostsDescription& description);

}  // namespace convoy::job
