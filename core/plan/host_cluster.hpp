#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/plan/cluster.hpp"

namespace convoy::plan {

// Several equal hosts with devices, and the parameter servers beside them.
struct HostsDescription {
  std::uint32_t hosts = 1;             // with devices; at least 1
  std::uint32_t devices_per_host = 1;  // at least 1
  bool peer_access = true;             // between the devices of one host, as in make_single_host
  std::string device_kind = "device";
  // The host of every parameter server. A number from `hosts` on is a host without devices; such
  // numbers have no gaps. Empty: there are no parameter servers, and strategies use the memory of
  // the hosts.
  std::vector<std::uint32_t> server_hosts;
  // Hardware that the replicas of one host share; the same on all hosts.
  ReplicaGroups groups = {};
  // Whether the devices have lanes per priority. Not given: they do if they have peer access.
  std::optional<bool> device_priorities = {};
};

// Place order: all devices, host by host; one host place per host with devices; one host place per
// parameter server, to which no device is attached. Engines address memory only inside their host.
// Between hosts all data goes over the network, and collectives are left to the devices and their
// transport. A host place of a cluster of several hosts has an engine of its own unless its devices
// share its memory. One host without parameter servers is make_single_host.
Cluster make_hosts(const HostsDescription& description);

}  // namespace convoy::plan
