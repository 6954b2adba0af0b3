#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/cli/flag_parser.hpp"
#include "core/plan/host_cluster.hpp"

namespace convoy {

// --hosts, --worker_hosts and --ps_hosts: for which hosts a strategy plans.
std::vector<FlagDefinition> cluster_flags();

// What those flags say; devices and peer access are the caller's. --worker_hosts and --ps_hosts
// take addresses separated by commas, as tf_cnn_benchmarks did, or just a number: every worker is a
// host; a parameter server is on the worker's host whose name it has, else on a host of its own
// name. Error(kUsage) for flags that contradict each other.
HostsDescription describe_hosts(const ParsedFlags& flags);

// "4 hosts, 2 parameter servers, "; empty for one host without parameter servers.
std::string hosts_text(const HostsDescription& description);

}  // namespace convoy
