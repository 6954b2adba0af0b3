#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace convoy::simulate {

// The links between the devices of one host that take part: what every transfer passes, and how
// much each carries. Devices are numbers from 0.
struct DeviceLinks {
  struct Way {
    std::vector<std::uint32_t> links;
    bool direct = false;  // NVLink all the way
  };
  std::uint32_t devices = 0;
  std::vector<Way> ways;                   // from * devices + to
  std::map<std::uint32_t, double> limits;  // bytes per second, of every link of a way

  const Way& way(std::uint32_t from, std::uint32_t to) const { return ways[from * devices + to]; }
  // So many that no search is worth its time: one channel, and only the ways to the next are known.
  bool is_taken_in_order() const { return devices > 64; }
};

// Whether the same channels fit: the same ways over links of the same rates, whatever their
// numbers.
bool are_alike(const DeviceLinks& a, const DeviceLinks& b);

// Orders of all devices, each carrying `bytes_per_second` at the same time as the others.
struct Channels {
  std::vector<std::vector<std::uint32_t>> orders;
  double bytes_per_second = 0;  // of each
  double total() const { return static_cast<double>(orders.size()) * bytes_per_second; }
};

// Where a channel comes into a host and leaves it.
struct ChannelEnds {
  std::uint32_t first = 0;
  std::optional<std::uint32_t> last;  // none: goes back to the first, and leaves from there
  bool operator==(const ChannelEnds&) const = default;
};

// Looks for rings that together use as much of the links as can be found: at descending rates, as
// many as the capacities allow, trying orders depth first and taking a ring's reverse before
// another one, within a bounded number of steps. Over NVLink alone where there is such a ring, else
// over all links, near devices first.
Channels find_rings(const DeviceLinks& links);

// One channel per pair of ends, all at one rate, the highest at which they fit together; at most
// `limit` each.
Channels find_chains(const DeviceLinks& links, const std::vector<ChannelEnds>& ends, double limit);

}  // namespace convoy::simulate
