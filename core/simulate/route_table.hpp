#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "core/simulate/simulated_machine.hpp"
#include "core/simulate/task_graph.hpp"

namespace convoy::simulate {

// Adds up what one operation sends over each link, per byte of its own.
class RouteSum {
 public:
  void add(std::uint32_t link, double weight) { shares_.push_back({link, weight}); }
  void add(const Path& path, double weight) {
    for (const std::uint32_t link : path.links) add(link, weight);
  }
  // Every link once, in ascending order.
  std::vector<LinkShare> take();

 private:
  std::vector<LinkShare> shares_;
};

// The paths of a machine, each asked for once, and the routes of a graph, each kept once.
class RouteTable {
 public:
  RouteTable(const SimulatedMachine& machine, TaskGraph& graph)
      : machine_(machine), graph_(graph) {}

  const Path& path(std::uint32_t from, std::uint32_t to);
  std::uint32_t add(RouteSum sum);
  std::uint32_t add_group(const std::vector<std::uint32_t>& places);
  // Most bytes per second that a flow on this route can have.
  double capacity(std::uint32_t route) const;

 private:
  const SimulatedMachine& machine_;
  TaskGraph& graph_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Path> paths_;
  std::map<std::vector<std::pair<std::uint32_t, double>>, std::uint32_t> routes_;
  std::map<std::vector<std::uint32_t>, std::uint32_t> groups_;
};

}  // namespace convoy::simulate
