#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <vector>

#include "core/simulate/collectives/channel_search.hpp"
#include "core/simulate/collectives/collective_library.hpp"
#include "core/simulate/tasks/route_table.hpp"

namespace convoy::simulate {

// The participants on one host, in the cluster's order.
struct GroupHost {
  std::vector<std::uint32_t> places;
  DeviceLinks links;                  // between them
  bool is_switched = false;           // NVSwitches join all of them
  std::vector<ChannelEnds> channels;  // to other hosts: one per network card
};

// What passes somewhere of each byte of a collective, and how many bytes its time is that of.
struct ByteShare {
  double bytes = 0;
  double weight = bytes;
};

// The devices of a collective and what lies between them, as a library sees it.
class CollectiveGroup {
 public:
  CollectiveGroup(const SimulatedMachine& machine, const CollectiveLibrary& library,
                  RouteTable& routes, const std::vector<std::uint32_t>& places);

  const std::vector<GroupHost>& hosts() const { return hosts_; }
  std::size_t devices() const { return devices_; }
  const CollectiveGeneration& generation() const { return *generation_; }
  // Devices on the host that has most of them.
  std::size_t most_on_a_host() const;
  bool is_switched() const;
  // Physical links from a device to its NVSwitches, each of which makes a channel.
  std::uint32_t bricks() const;
  bool is_over_nvlink() const;  // all that lies between devices of one host
  // What the network's cards and switches add to a step between the hosts that are farthest apart.
  double card_seconds() const { return card_seconds_; }
  // Cards that each device next to one has to itself, each of which makes a channel.
  std::uint32_t cards_at_once() const { return cards_at_once_; }
  double card_bytes_per_second() const { return card_rate_; }  // of the slowest; infinity: none
  // Whether all cards deliver the bytes of a message in order, as flags between data need it.
  bool delivers_in_order() const { return in_order_; }
  // Least time of a step while a thread of the host serves a network card.
  double proxy_seconds() const;

  // Adds what passes from one place to another, as shares of what the links carry for collectives.
  void add_load(RouteSum& sum, std::uint32_t from, std::uint32_t to, ByteShare share);
  // The same, to the rate that in-switch reductions reach of the NVSwitch's links.
  void add_in_switch_load(RouteSum& sum, std::uint32_t from, std::uint32_t to,
                          ByteShare share) const;

 private:
  // What passes from one device to another: over their path, or to their host's memory and on.
  struct Load {
    std::uint32_t link = 0;
    double weight = 1;
    double bytes = 1;
  };
  const std::vector<Load>& loads(std::uint32_t from, std::uint32_t to);
  std::vector<Load> staged(std::uint32_t from, std::uint32_t to, std::uint32_t memory);
  double memory_weight(std::uint32_t memory) const;
  // Bytes per second that collectives reach of a link.
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
