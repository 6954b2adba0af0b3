#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace convoy::simulate {

// How a chunk crosses a link. LL sends a flag with every 4 bytes, and LL128 sends one with every
// 120. Simple sends no flags and waits for a whole slice. They are listed from the lowest latency
// to the highest.
enum class Protocol : std::uint8_t { kLl, kLl128, kSimple };
inline constexpr std::size_t kProtocols = 3;
const char* name(Protocol protocol);

// The seconds that one step of a ring or tree takes, by the kind of link.
struct HopSeconds {
  double nvlink = 0;
  double pcie = 0;
  double network = 0;
};

// With kRails, hosts reduce parts of the span, exchange these parts, and gather them.
enum class CollectiveAlgorithm : std::uint8_t { kRing, kTree, kInSwitch, kRails, kInNetwork };
inline constexpr std::size_t kCollectiveAlgorithms = 5;
// "ring", "tree", "NVLS", "rails", "SHARP"
const char* name(CollectiveAlgorithm algorithm);

// What a protocol costs in rings or in trees.
struct ProtocolCost {
  double base_seconds = 0;
  HopSeconds hop;
  double share = 1;                // the part of the wire's rate that data has
  double share_between_hosts = 1;  // the same if a network is part of the way
  // The part of its rate that the pattern reaches at 64 bytes, 128 bytes and each further power of
  // two. If empty, it reaches its whole rate at every size.
  std::vector<double> rate_by_size;
};

// What the library reaches on one generation of devices. Rates are in bytes per second. Arrays have
// values for one host, two hosts, and more hosts.
struct CollectiveGeneration {
  std::vector<std::string> names;  // as in the device catalogue
  std::string library;             // its name on these devices; empty = the catalogue's name
  std::string library_source;
  double direct_reach = 0;           // part of the raw rate reached on links between two devices
  double switched_reach = 0;         // part of the raw rate reached on links to a switch
  double in_switch_reach = 0;        // the same if the switch reduces (NVLS); 0 = it cannot
  double in_switch_channels = 0;     // NVLS on one host
  double in_switch_chunk_cost = 0;   // see in_switch_slowdown()
  double latency_scale = 1;          // factor on the times of rings and trees within one host
  double slice_seconds = 0;          // what large slices add to a step of a ring
  double plateau = 1;                // factor on the start of Simple all_reduce rings between hosts
  bool ll128 = false;                // has the stores of 128 bytes that LL128 needs
  std::array<double, 3> ll_limit{};  // highest rate of LL, all channels together
  std::array<double, 3> tree_channel_limit{};  // highest rate of a channel of a tree
  // Highest rate of a channel of a ring with LL128. Within a host, links are slower than this, and
  // each makes a channel.
  double ring_ll128_channel_limit = 0;
  // the same for data together with its flags; infinity if links are slower
  double ring_channel_limit = 0;
};

// A communication library as the simulator knows it: the algorithms and protocols it chooses from,
// and what each costs. Its constants are taken from its source code or were measured; the file
// states where each comes from.
struct CollectiveLibrary {
  std::string name;
  std::string source;
  std::array<bool, kCollectiveAlgorithms> has{};  // which algorithms it chooses from
  double launch_seconds = 0;                      // until the first device starts
  double launch_seconds_per_device = 0;  // in addition, for every device that one process drives
  double full_slice_bytes = 0;           // from this size on, slices are about as large as they get
  std::array<ProtocolCost, kProtocols> ring;
  std::array<ProtocolCost, kProtocols> tree;
  double in_switch_seconds = 0;        // NVLS: for one operation, as the library expects it
  double in_switch_rounds = 0;         // on one host: chunks of all devices until bytes flow
  double in_switch_least_devices = 0;  // devices of one host; with fewer, rings are used
  // Between hosts: what large slices add for every device, because devices have parts of a slice
  // in turn.
  double in_switch_slice_seconds_per_device = 0;
  double in_switch_network_seconds = 0;      // for a level of the tree between hosts
  double in_switch_share_between_hosts = 1;  // the part of its rate on one host that it then has
  // The part of a PCI Express link's rate that a device reaches when it sends and receives through
  // host memory at once.
  double staged_reach = 1;
  double slice_bytes = 0;             // bytes that wait at every level of a tree between hosts
  double network_reduce_seconds = 0;  // SHARP: for one operation in the network's switches
  double network_reduce_reach = 0;    // the part of the network cards' rates that it reaches
  std::vector<CollectiveGeneration> generations;

  // Returns the entry of a generation, or the first entry if there is none.
  const CollectiveGeneration& generation(std::string_view of) const;
  // For unlike devices, returns the entry that comes first in the list, which begins with the
  // oldest: NCCL decides by the lowest compute capability of all ranks (minCompCap in tuning.cc).
  const CollectiveGeneration& generation(const std::vector<std::string_view>& of) const;
  // "nccl-2 (where its constants are from)", or what devices of a generation have in its place.
  std::string described(std::string_view generation_name) const;
};

}  // namespace convoy::simulate
