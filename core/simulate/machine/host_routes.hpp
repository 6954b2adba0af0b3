#pragma once

#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "topology/graph/machine.hpp"
#include "topology/graph/routes.hpp"

namespace convoy::simulate {

// Routes in a machine of many hosts, each found in the graph of its own host: those between hosts
// lead over the nearest network card at both ends, of those that are not much slower than the
// fastest. GPUs that are equally near to several cards take turns; where there are more cards than
// GPUs, each GPU has several at once. Hosts that are alike share what was found. Nodes and links
// are the machine's, which must outlive this.
class HostRoutes {
 public:
  explicit HostRoutes(const topology::Machine& machine);

  // kind is unconnected when there is none; of several at once the first.
  topology::Route find(std::size_t from, std::size_t to);
  // All that carry data at once, each as much as the others; empty when there is none.
  std::vector<topology::Route> find_all(std::size_t from, std::size_t to);
  // The candidate with the shortest route to or from this node; the first of equal ones. There must
  // be one.
  std::size_t nearest(std::size_t to, const std::vector<std::size_t>& candidates);

 private:
  struct Host {
    topology::Machine graph;
    std::vector<std::size_t> nodes;  // of the whole machine, by those of the graph
    std::vector<std::size_t> links;  // likewise
    std::vector<std::pair<std::size_t, topology::Hop>> uplinks;  // network cards, way out
    std::uint32_t alike = 0;                                     // the first host with such a graph
    std::map<std::pair<std::size_t, std::size_t>, topology::Route> routes;  // between graph's nodes
  };
  void find_alike();
  topology::Route find_in_host(Host& host, std::size_t from, std::size_t to);
  // Bytes per second of a card's way out, a usual rate where nobody knows it.
  double card_rate(const topology::Hop& uplink) const;
  const std::vector<std::size_t>& nearest_cards(Host& host, std::size_t from);
  std::vector<std::size_t> cards_of(Host& host, std::size_t from);
  // The routes from a node out into the network, looked for once.
  const std::vector<topology::Route>& ways_out(std::size_t from);
  topology::Route join(const topology::Route& out, const topology::Route& back);
  // Through the network, between the switches that two ways out end at.
  const std::vector<topology::Hop>& between(std::size_t from, std::size_t to);
  std::size_t end_of(const topology::Route& way_out) const;
  std::vector<topology::Route> find_ways_out(std::size_t from);

  const topology::Machine& machine_;
  std::vector<std::size_t> local_;  // index of every node in its host's graph
  std::map<std::uint32_t, Host> hosts_;
  topology::Machine network_;               // its switches and the links between them
  std::vector<std::size_t> network_links_;  // of the whole machine, by those of network_
  std::map<std::pair<std::size_t, std::size_t>, std::vector<topology::Hop>> between_;
  std::map<std::size_t, std::vector<std::size_t>> nearest_cards_;  // by node
  std::map<std::size_t, std::vector<topology::Route>> ways_out_;   // by node
};

}  // namespace convoy::simulate
