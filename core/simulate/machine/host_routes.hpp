#pragma once

#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "topology/graph/machine.hpp"
#include "topology/graph/routes.hpp"

namespace convoy::simulate {

// Finds routes in a machine of many hosts. Within a host, it searches the graph of this host. A
// route between hosts leads over the nearest network card at both ends, among the cards that are
// not much slower than the fastest. GPUs that are equally near to several cards use them in turns;
// if there are more cards than GPUs, each GPU has several at once. Equal hosts share the routes
// that were found. Nodes and links are numbers of the machine, which must outlive this object.
class HostRoutes {
 public:
  explicit HostRoutes(const topology::Machine& machine);

  // The kind is unconnected if there is no route. Of several routes at once, it returns the first.
  topology::Route find(std::size_t from, std::size_t to);
  // Finds all routes that carry data at once, each an equal part. Empty if there is none.
  std::vector<topology::Route> find_all(std::size_t from, std::size_t to);
  // Returns the candidate with the shortest route to or from this node, the first of equal ones.
  // There must be one.
  std::size_t nearest(std::size_t to, const std::vector<std::size_t>& candidates);
  // Whether the nearest network cards read this GPU's memory: they have RDMA, and are below a PCIe
  // switch of the GPU, or its own link joins it to a processor's memory. True for other nodes, and
  // if the host has no card.
  bool has_near_card(std::size_t gpu);

 private:
  struct Host {
    topology::Machine graph;
    std::vector<std::size_t> nodes;  // the machine's nodes, by nodes of the graph
    std::vector<std::size_t> links;  // the machine's links, by links of the graph
    // Network cards and their links out.
    std::vector<std::pair<std::size_t, topology::Hop>> uplinks;
    std::uint32_t alike = 0;  // the first host with such a graph
    // Between nodes of the graph.
    std::map<std::pair<std::size_t, std::size_t>, topology::Route> routes;
  };
  void find_alike();
  topology::Route find_in_host(Host& host, std::size_t from, std::size_t to);
  // The bytes per second of a card's link out. A low one if it is unknown, because ports without a
  // cable have no rate.
  double card_rate(const topology::Hop& uplink) const;
  const std::vector<std::size_t>& nearest_cards(Host& host, std::size_t from);
  std::vector<std::size_t> cards_of(Host& host, std::size_t from);
  // The routes from a node into the network, which are searched once.
  const std::vector<topology::Route>& ways_out(std::size_t from);
  topology::Route join(const topology::Route& out, const topology::Route& back);
  // The links through the network, between the switches at the ends of two ways out.
  const std::vector<topology::Hop>& between(std::size_t from, std::size_t to);
  std::size_t end_of(const topology::Route& way_out) const;
  std::vector<topology::Route> find_ways_out(std::size_t from);

  const topology::Machine& machine_;
  std::vector<std::size_t> local_;  // index of every node in its host's graph
  std::map<std::uint32_t, Host> hosts_;
  topology::Machine network_;               // the network's switches and the links between them
  std::vector<std::size_t> network_links_;  // the machine's links, by links of network_
  std::map<std::pair<std::size_t, std::size_t>, std::vector<topology::Hop>> between_;
  std::map<std::size_t, std::vector<std::size_t>> nearest_cards_;  // by node
  std::map<std::size_t, std::vector<topology::Route>> ways_out_;   // by node
};

}  // namespace convoy::simulate
