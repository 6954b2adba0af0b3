#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <vector>

#include "core/simulate/collectives/channel_search.hpp"
#include "core/simulate/collectives/collective_library.hpp"
#include "core/simulate/tasks/route_table.hpp"

namespace convoy::simulate {

// The participating devices of one host, in the cluster's order.
struct GroupHost {
  std::vector<std::uint32_t> places;
  DeviceLinks links;                  // between them
  bool is_switched = false;           // NVSwitches join all of them
  std::vector<ChannelEnds> channels;  // the ends of channels to other hosts, one per network card
};

// How many bytes pass a link for each byte of a collective, and for how many bytes the link is
// busy.
struct ByteShare {
  double bytes = 0;
  double weight = bytes;
};

// What a device sends to another one in a pattern, for each byte of the collective.
struct PatternEdge {
  std::uint32_t from = 0;  // places
  std::uint32_t to = 0;
  ByteShare share;
};

// The devices of a collective and the connections between them, as a library sees them.
class CollectiveGroup {
 public:
  CollectiveGroup(const SimulatedMachine& machine, const CollectiveLibrary& library,
                  RouteTable& routes, const std::vector<std::uint32_t>& places);

  const std::vector<GroupHost>& hosts() const { return hosts_; }
  std::size_t devices() const { return devices_; }
  const CollectiveGeneration& generation() const { return *generation_; }
  // The number of devices on the host that has the most.
  std::size_t most_on_a_host() const;
  // The number of devices of the process that has the most.
  double most_in_a_process() const;
  bool is_switched() const;
  // The number of physical links from a device to its NVSwitches. Each link makes a channel.
  std::uint32_t bricks() const;
  bool is_over_nvlink() const;  // whether NVLink joins the devices of every host
  // The time that network cards and switches add to a step between the two hosts that are farthest
  // apart.
  double card_seconds() const { return card_seconds_; }
  // The number of cards that a device next to one has to itself. Each card makes a channel.
  std::uint32_t cards_at_once() const { return cards_at_once_; }
  // The rate of the slowest card; infinity if there is none.
  double card_bytes_per_second() const { return card_rate_; }
  // Whether all cards deliver the bytes of a message in order. Protocols with flags between the
  // data need that.
  bool delivers_in_order() const { return in_order_; }
  // The least time of a step for which a thread of the host serves a network card.
  double proxy_seconds() const;

  // Adds what all edges of a pattern send, relative to the rates that collectives reach on the
  // links.
  void add_loads(RouteSum& sum, std::span<const PatternEdge> edges);
  // The same, relative to the rate that reductions in the switch reach on an NVSwitch's links.
  void add_in_switch_load(RouteSum& sum, std::uint32_t from, std::uint32_t to,
                          ByteShare share) const;

 private:
  // Whose way to host memory contains a link.
  enum class Staging : std::uint8_t { kUnstaged, kOfSender, kOfReceiver };
  // One link on the way from a device to another one: on their path, or through their host's
  // memory.
  struct Load {
    std::uint32_t link = 0;
    double weight = 1;
    double bytes = 1;
    Staging staging = Staging::kUnstaged;
  };
  const std::vector<Load>& loads(std::uint32_t from, std::uint32_t to);
  bool is_direct(std::uint32_t from, std::uint32_t to);
  std::vector<Load> staged(std::uint32_t from, std::uint32_t to, std::uint32_t memory);
  void stage_at_cards(std::vector<Load>& loads, std::uint32_t from, std::uint32_t to,
                      std::size_t ways);
  void add_memory(std::vector<Load>& loads, std::uint32_t host);
  double memory_weight(std::uint32_t memory) const;
  // The bytes per second that collectives reach on a link.
  double limit(std::uint32_t link) const;
  DeviceLinks links_of(const std::vector<std::uint32_t>& places);
  void find_cards();
  void note_network(std::uint32_t place, std::uint32_t elsewhere);
  struct Card {
    std::uint32_t link = kNone;
    std::size_t distance = 0;  // links before it
  };
  Card card_of(std::uint32_t place, std::uint32_t elsewhere);

  const SimulatedMachine& machine_;
  const CollectiveLibrary& library_;
  RouteTable& routes_;
  const CollectiveGeneration* generation_;
  std::vector<GroupHost> hosts_;
  std::map<std::uint32_t, std::vector<std::uint32_t>> by_host_;  // places
  PlacePairs<std::vector<Load>> loads_;
  std::size_t devices_ = 0;
  std::uint32_t cards_at_once_ = 1;
  bool in_order_ = true;
  double card_seconds_ = 0;
  double card_rate_ = std::numeric_limits<double>::infinity();
};

}  // namespace convoy::simulate
