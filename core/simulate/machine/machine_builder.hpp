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

// What a machine graph does not know.
struct MachineConstants {
  std::vector<SimulatedDevice> devices;  // kinds of devices
  // Which of them a GPU is: an index into devices.
  std::function<std::uint32_t(const topology::Node& gpu)> device_of;
  // Every host by its number; hosts beyond the last entry are like it.
  std::vector<SimulatedHost> hosts = {{}};
  const SimulatedHost& host(std::uint32_t number) const {
    return hosts[std::min<std::size_t>(number, hosts.size() - 1)];
  }
};

// A cluster and the machine that it is on.
struct SimulatedCluster {
  Cluster cluster;
  SimulatedMachine machine;
};

// Replicas on the first `devices_per_host` GPUs of every host, or on those that `order` numbers,
// host after host, and one host place per host behind them: "cuda:0", ..., "host:0". A host place
// is all memory of its host; data take the NUMA node that is nearest to where they come from. Where
// the graph does not say whether two GPUs reach each other's memory, those of one socket do, but
// not in virtual machines. Error kUsage when a host has fewer GPUs, or not those, or several hosts
// no network between them.
SimulatedCluster make_gpu_cluster(const topology::Machine& machine, std::uint32_t devices_per_host,
                                  const MachineConstants& constants,
                                  const std::vector<std::uint32_t>& order = {});

// CPU devices of one host, which run one operation at a time and share its memory.
SimulatedCluster make_cpu_cluster(std::uint32_t devices, const SimulatedDevice& device,
                                  const SimulatedHost& host);

}  // namespace convoy::simulate
