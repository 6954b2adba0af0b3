#pragma once

#include "core/plan/arena_map.hpp"
#include "core/plan/cluster.hpp"
#include "core/simulate/simulate.hpp"

namespace convoy::testing {

// GPUs below one switch per host, hosts on one network. Bytes per second of each direction of a
// device's link, of the switch's link to the host, of the host's network card.
struct HandRates {
  double device = 10e9;
  double root = 10e9;
  double network = 1e9;
  double host_memory = 100e9;
};

struct HandMachine {
  plan::Cluster cluster;
  simulate::SimulatedMachine machine;
};

// The links of device d: 2 d up, 2 d + 1 down; then per host: root up, root down, network out,
// network in, memory. Constants are round: no fixed costs, no stragglers, full overlap.
HandMachine hand_machine(std::uint32_t hosts, std::uint32_t devices_per_host, bool peer_access,
                         const HandRates& rates = {});

// Software without any cost of its own.
simulate::SoftwareProfile free_software();

// A model of `segments` equal segments, whose forward passes take `forward` seconds each, the
// backward ones `backward`, in one kernel each.
simulate::LayerTimes equal_layers(std::size_t segments, double forward, double backward);

// One variable of `elements` per segment, one bucket each.
plan::ArenaMap equal_arena(std::size_t segments, std::uint64_t elements);

}  // namespace convoy::testing
