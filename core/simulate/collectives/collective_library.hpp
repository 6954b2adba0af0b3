#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace convoy::simulate {

// How a chunk crosses a link: LL sends a flag with every 4 bytes, LL128 one with every 120, Simple
// none but waits for a whole slice. The order is that of their latencies.
enum class Protocol : std::uint8_t { kLl, kLl128, kSimple };
inline constexpr std::size_t kProtocols = 3;
const char* name(Protocol protocol);

// Times in seconds, of one step of a ring or tree over a link of a kind.
struct HopSeconds {
  double nvlink = 0;
  double pcie = 0;
  double network = 0;
};

// rails: parts of the span reduced within hosts, exchanged between them, gathered.
enum class CollectiveAlgorithm : std::uint8_t { kRing, kTree, kInSwitch, kRails, kInNetwork };
inline constexpr std::size_t kCollectiveAlgorithms = 5;
// "ring", "tree", "NVLS", "rails", "SHARP"
const char* name(CollectiveAlgorithm algorithm);

// What a protocol costs, in one of the two patterns.
struct ProtocolCost {
  double base_seconds = 0;
  HopSeconds hop;
  double share = 1;                // of the wire's rate that is left for data
  double share_between_hosts = 1;  // the same, where a network is part of the way
  // By powers of two of the bytes, from 64: what part of its rate the pattern has at that size.
  // Empty = all of it at every size.
  std::vector<double> rate_by_size;
};

// What a generation of devices makes of the library. Rates in bytes per second. Arrays are for one
// host, two hosts and more.
struct CollectiveGeneration {
  std::vector<std::string> names;    // as the device catalogue calls it
  double direct_reach = 0;           // of the raw rate of links between two devices
  double switched_reach = 0;         // of the raw rate of links to a switch
  double in_switch_reach = 0;        // the same where the switch reduces (NVLS); 0 = it cannot
  double latency_scale = 1;          // on the times of rings and trees within one host
  double slice_seconds = 0;          // what a step of a ring takes longer with large slices
  double plateau = 1;                // how much longer Simple rings between hosts start
  bool ll128 = false;                // has the stores of 128 bytes that it needs
  std::array<double, 3> ll_limit{};  // most that LL carries, all channels together
  std::array<double, 3> tree_channel_limit{};  // most per channel of a tree
};

// A communication library as the simulator knows it: which algorithms and protocols it chooses
// from and what each costs. Constants are facts of its sources or measured; the file has their
// sources.
struct CollectiveLibrary {
  std::string name;
  std::string source;
  std::array<bool, kCollectiveAlgorithms> has{};  // algorithms that it chooses from
  double launch_seconds = 0;                      // until the first device starts
  double launch_seconds_per_device = 0;           // for every device that one process drives
  double full_slice_bytes = 0;  // sizes from which slices are about at their largest
  std::array<ProtocolCost, kProtocols> ring;
  std::array<ProtocolCost, kProtocols> tree;
  double in_switch_seconds = 0;  // NVLS: of one operation in the switch
  // What it takes longer with large slices, for every device: each has a part of a slice in turn.
  double in_switch_slice_seconds_per_device = 0;
  double in_switch_network_seconds = 0;      // of a level of the tree between hosts
  double in_switch_share_between_hosts = 1;  // of its rate on one host that is left then
  double slice_bytes = 0;                    // that wait at every level of a tree between hosts
  double network_reduce_seconds = 0;         // SHARP: of one operation in the network's switches
  double network_reduce_reach = 0;           // what it leaves of the network cards' rates
  std::vector<CollectiveGeneration> generations;

  // The first one for a generation that has no entry.
  const CollectiveGeneration& generation(std::string_view of) const;
  // Of unlike devices the first in the list, which begins with the oldest: NCCL goes by the least
  // compute capability of all ranks (minCompCap in tuning.cc).
  const CollectiveGeneration& generation(const std::vector<std::string_view>& of) const;
};

}  // namespace convoy::simulate
