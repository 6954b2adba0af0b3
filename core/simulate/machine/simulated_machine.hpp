#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/plan/cluster.hpp"
#include "core/simulate/machine/constants.hpp"
#include "core/simulate/machine/path_finder.hpp"

namespace convoy::simulate {

// What a link is made of, as far as collectives make a difference.
enum class Wire : std::uint8_t { kOther, kNvlink, kNvswitch, kNetwork };

// One direction of a link, or a memory: something that transfers share.
struct SimulatedLink {
  std::string name;             // "gpu0 -> switch0"
  double bytes_per_second = 0;  // what transfers reach together
  bool receives = false;        // the receiving direction of a network card: in-cast counts
  bool joins_sockets = false;   // between packages
  Wire wire = Wire::kOther;     // NVLink between devices or to an NVSwitch; a card's to its network
  double raw_bytes_per_second = 0;  // as specified; 0 = unknown
  std::uint32_t bricks = 1;         // physical links
  bool assumed = false;             // its rate is nobody's: a usual one stands for it
  double latency_seconds = 0;       // that a step over this card takes besides a library's own
  bool in_order = true;             // bytes of a message arrive in the order in which they left
};

// A place of the cluster and what it is made of.
struct SimulatedPlace {
  std::uint32_t host = 0;              // index into hosts
  std::uint32_t device = CONVOY_NONE;  // index into devices; host places: none
  std::uint32_t board = CONVOY_NONE;   // devices with the same number share power and clock
  std::uint32_t memory = CONVOY_NONE;  // link of the memory that its element-wise work loads
  std::uint64_t memory_bytes = 0;      // 0 = unknown
  bool in_host_memory = false;         // a device without memory of its own: a CPU device
  std::uint32_t memories = 1;          // host places: packages that share the rate of `memory`
};

// The machine as the engine sees it: numbered links with capacities, and for every pair of places
// the links between them. Made from a machine graph (make_simulated_machine) or by hand.
struct SimulatedMachine {
  std::vector<SimulatedLink> links;
  std::vector<SimulatedDevice> devices;  // kinds of devices
  std::vector<SimulatedHost> hosts;      // one per host of the cluster
  std::vector<SimulatedPlace> places;    // one per place of the cluster
  PathFinder paths;
  // Between devices of one host; none: all reach each other. What does not is staged in its host's
  // memory.
  ReachFinder reaches;
  std::vector<std::uint32_t> host_places;  // per host: the place of its memory, where it has one
  // Finds the near one of several memories of a host; empty: hosts have one memory each.
  MemoryFinder near_memory;
  bool network_reduces = false;  // its switches reduce what passes them (SHARP)
};

}  // namespace convoy::simulate
