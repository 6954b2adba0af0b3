#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/plan/cluster.hpp"
#include "core/simulate/simulated_machine.hpp"
#include "topology/machine.hpp"

namespace convoy::simulate {

// What a machine graph does not know.
struct MachineConstants {
  std::vector<SimulatedDevice> devices;                               // kinds of devices
  std::function<std::uint32_t(const topology::Node& gpu)> device_of;  // index into devices
  SimulatedHost host;                                                 // all hosts are alike
};

// A cluster whose replicas run on the first `devices` GPUs of the machine, as evenly over its hosts
// as they come, with one host place per host behind them; peer access as the machine says. Error
// kUsage when there are fewer GPUs. Places are named "cuda:0", "host:0".
Cluster gpu_cluster(const topology::Machine& machine, std::uint32_t devices);

// That cluster's places on the machine: nodes of the graph by place. A host place has no node of
// its own: it is every NUMA node of its host, and data take the nearest.
SimulatedMachine make_simulated_machine(const topology::Machine& machine, const Cluster& cluster,
                                        const MachineConstants& constants);

}  // namespace convoy::simulate
