#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "core/plan/cluster.hpp"
#include "core/simulate/machine/simulated_machine.hpp"
#include "topology/graph/machine.hpp"

namespace convoy::simulate {

// The constants that a machine graph does not contain.
struct MachineConstants {
  std::vector<SimulatedDevice> devices;  // the kinds of devices
  // Returns the kind of a GPU, as an index into `devices`.
  std::function<std::uint32_t(const topology::Node& gpu)> device_of;
  // The hosts by their numbers. Further hosts are like the last entry.
  std::vector<SimulatedHost> hosts = {{}};
  const SimulatedHost& host(std::uint32_t number) const {
    return hosts[std::min<std::size_t>(number, hosts.size() - 1)];
  }
};

// A cluster and its machine.
struct SimulatedCluster {
  plan::Cluster cluster;
  SimulatedMachine machine;
};

// Makes a cluster with replicas on the first `devices_per_host` GPUs of every host, or on the GPUs
// that `order` numbers, host after host, followed by one host place per host: "cuda:0", ...,
// "host:0". A host place is the whole memory of its host; data use the NUMA node that is nearest to
// their origin. If the graph does not state whether two GPUs reach each other's memory, GPUs of one
// socket do, except in virtual machines. Throws Error (kUsage) when a host lacks these GPUs, or
// when no network joins the hosts.
SimulatedCluster make_gpu_cluster(const topology::Machine& machine, std::uint32_t devices_per_host,
                                  const MachineConstants& constants,
                                  const std::vector<std::uint32_t>& order = {});

// Makes a cluster of CPU devices of one host. Each runs one operation at a time, and all share the
// memory.
SimulatedCluster make_cpu_cluster(std::uint32_t devices, const SimulatedDevice& device,
                                  const SimulatedHost& host);

}  // namespace convoy::simulate
