#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/simulate/machine/simulated_machine.hpp"
#include "core/simulate/tasks/task_graph.hpp"

namespace convoy::simulate {

// Adds up how many bytes one operation sends over each link for each of its own bytes. It is
// cleared and used again for the next operation, so that its memory is allocated once.
class RouteSum {
 public:
  void clear() { shares_.clear(); }
  void add(std::uint32_t link, double weight) { add(link, weight, weight); }
  void add(std::uint32_t link, double weight, double bytes) {
    shares_.push_back({link, weight, bytes});
  }
  void add(const Path& path, double weight) {
    for (std::size_t i = 0; i < path.links.size(); ++i) add(path.links[i], weight * path.share(i));
  }
  // Returns every link once, in ascending order.
  std::span<const LinkShare> merged();

 private:
  std::vector<LinkShare> shares_;
};

// A table of values by pairs of places. Plans for many hosts have many pairs.
template <typename Value>
class PlacePairs {
 public:
  // Returns the value and whether it is new.
  std::pair<Value&, bool> at(std::uint32_t from, std::uint32_t to) {
    const auto [it, inserted] = values_.try_emplace(std::uint64_t{from} << 32 | to);
    return {it->second, inserted};
  }

 private:
  std::unordered_map<std::uint64_t, Value> values_;
};

// The paths of a machine and the routes of a graph. Each path is looked up once, and each route is
// stored once.
class RouteTable {
 public:
  RouteTable(const SimulatedMachine& machine, TaskGraph& graph)
      : machine_(machine), graph_(graph) {}

  const Path& path(std::uint32_t from, std::uint32_t to);
  std::uint32_t add(RouteSum& sum);
  std::uint32_t add_group(const std::vector<std::uint32_t>& places);
  // The highest rate of a flow on this route, in bytes per second.
  double capacity(std::uint32_t route) const;

 private:
  const SimulatedMachine& machine_;
  TaskGraph& graph_;
  PlacePairs<Path> paths_;
  std::unordered_multimap<std::uint64_t, std::uint32_t> routes_;  // by a hash of their shares
  std::map<std::vector<std::uint32_t>, std::uint32_t> groups_;
};

}  // namespace convoy::simulate
