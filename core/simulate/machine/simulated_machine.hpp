#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/plan/cluster.hpp"
#include "core/simulate/machine/constants.hpp"
#include "core/simulate/machine/path_finder.hpp"

namespace convoy::simulate {

// What a link is made of, as far as collectives distinguish it.
enum class Wire : std::uint8_t { kOther, kNvlink, kNvswitch, kNetwork };

// One direction of a link, or a memory. Transfers share its rate.
struct SimulatedLink {
  std::string name;             // "gpu0 -> switch0"
  double bytes_per_second = 0;  // the rate that transfers reach together
  bool receives = false;        // the receiving direction of a network card, where in-cast matters
  bool joins_sockets = false;   // between packages
  Wire wire = Wire::kOther;     // kNetwork: from a card to its network
  double raw_bytes_per_second = 0;  // as specified; 0 = unknown
  std::uint32_t bricks = 1;         // physical links
  bool assumed = false;             // its rate is unknown, and a usual one stands for it
  double latency_seconds = 0;       // that this card adds to a step of a library
  bool in_order = true;             // the bytes of a message arrive in order
};

// The processor cores of hosts that are one machine: CPU devices compute on them, and bytes between
// hosts cost their time.
struct SimulatedProcessor {
  double cores = 0;
  struct Host {
    std::uint32_t host = 0;
    double computing_cores = 0;         // those on which its CPU devices compute
    std::uint32_t sends = CONVOY_NONE;  // the links to and from its network
    std::uint32_t receives = CONVOY_NONE;
    double seconds_per_byte = 0;  // of one core, for a byte sent or received
  };
  std::vector<Host> hosts;
};

// A place of the cluster and its parts of the machine.
struct SimulatedPlace {
  std::uint32_t host = 0;              // index into hosts
  std::uint32_t device = CONVOY_NONE;  // index into devices; host places: none
  std::uint32_t board = CONVOY_NONE;   // devices with the same number share power and clock
  // The link that stands for the memory of its element-wise work.
  std::uint32_t memory = CONVOY_NONE;
  std::uint64_t memory_bytes = 0;  // 0 = unknown
  bool in_host_memory = false;     // it has no memory of its own: a CPU device
  std::uint32_t memories = 1;      // host places: packages that share the rate of `memory`
};

// The machine as the engine sees it: numbered links with capacities, and the links between every
// pair of places. It is made from a machine graph (machine_builder.hpp) or by hand.
struct SimulatedMachine {
  std::vector<SimulatedLink> links;
  std::vector<SimulatedDevice> devices;  // kinds of devices
  std::vector<SimulatedHost> hosts;      // one per host of the cluster
  std::vector<SimulatedPlace> places;    // one per place of the cluster
  PathFinder paths;
  // Between devices of one host. Without it, all devices reach each other. Data between devices
  // that do not are staged in the memory of their host.
  ReachFinder reaches;
  std::vector<SimulatedProcessor> processors;  // those whose load is known
  std::vector<std::uint32_t> host_places;      // per host: the place of its memory, if it has one
  // Finds the nearest of several memories of a host. If empty, every host has one memory.
  MemoryFinder near_memory;
  NearCardFinder has_near_card;  // without it, all devices have one
  bool network_reduces = false;  // the switches of the network can reduce (SHARP)
};

}  // namespace convoy::simulate
