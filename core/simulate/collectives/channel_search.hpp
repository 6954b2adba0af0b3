#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace convoy::simulate {

// The links between the participating devices of one host: the links on the way from each device to
// each other one, and the rate of each link. Devices are numbered from 0.
struct DeviceLinks {
  struct Way {
    std::vector<std::uint32_t> links;
    bool direct = false;  // NVLink all the way
  };
  std::uint32_t devices = 0;
  std::vector<Way> ways;                   // from * devices + to
  std::map<std::uint32_t, double> limits;  // bytes per second of every link

  const Way& way(std::uint32_t from, std::uint32_t to) const { return ways[from * devices + to]; }
  // Whether there are too many devices for a search. Then there is one channel, in their order, and
  // only the ways from each device to the next one are known.
  bool is_taken_in_order() const { return devices > 64; }
};

// Whether both have the same ways over links of the same rates, so that the same channels fit. The
// numbers of the links may differ.
bool are_alike(const DeviceLinks& a, const DeviceLinks& b);

// Several orders of all devices. Each carries `bytes_per_second` while the others do, too.
struct Channels {
  std::vector<std::vector<std::uint32_t>> orders;
  double bytes_per_second = 0;  // of each order
  double total() const { return static_cast<double>(orders.size()) * bytes_per_second; }
};

// The devices at which a channel enters and leaves a host.
struct ChannelEnds {
  std::uint32_t first = 0;
  std::optional<std::uint32_t> last;  // none: the channel returns to `first` and leaves there
  bool operator==(const ChannelEnds&) const = default;
};

// Searches for the set of rings with the highest total rate. For each of several rates, from high
// to low, it fits as many rings as the capacities allow. It tries orders depth first, takes the
// reverse of a ring before another ring, and stops after a bounded number of steps. If NVLink alone
// has a ring, only NVLink is used; otherwise all links are, and near devices are tried first.
Channels find_rings(const DeviceLinks& links);

// Finds one channel per pair of ends. All have the same rate: the highest one at which they fit
// together, but at most `limit`.
Channels find_chains(const DeviceLinks& links, const std::vector<ChannelEnds>& ends, double limit);

}  // namespace convoy::simulate
