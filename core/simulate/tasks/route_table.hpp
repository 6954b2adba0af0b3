#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/simulate/machine/simulated_machine.hpp"
#include "core/simulate/tasks/task_graph.hpp"

namespace convoy::simulate {

// Adds up what one operation sends over each link, per byte of its own. Made once and cleared for
// the next operation, so that its memory is asked for once.
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
  // Every link once, in ascending order.
  std::span<const LinkShare> merged();

 private:
  std::vector<LinkShare> shares_;
};

// Values by pairs of places, of which plans for many hosts have many.
template <typename Value>
class PlacePairs {
 public:
  // The second says whether it is new.
  std::pair<Value&, bool> at(std::uint32_t from, std::uint32_t to) {
    const auto [it, inserted] = values_.try_emplace(std::uint64_t{from} << 32 | to);
    return {it->second, inserted};
  }

 private:
  std::unordered_map<std::uint64_t, Value> values_;
};

// The paths of a machine, each asked for once, and the routes of a graph, each kept once.
class RouteTable {
 public:
  RouteTable(const SimulatedMachine& machine, TaskGraph& graph)
      : machine_(machine), graph_(graph) {}

  const Path& path(std::uint32_t from, std::uint32_t to);
  std::uint32_t add(RouteSum& sum);
  std::uint32_t add_group(const std::vector<std::uint32_t>& places);
  // Most bytes per second that a flow on this route can have.
  double capacity(std::uint32_t route) const;

 private:
  const SimulatedMachine& machine_;
  TaskGraph& graph_;
  PlacePairs<Path> paths_;
  std::unordered_multimap<std::uint64_t, std::uint32_t> routes_;  // by a hash of their shares
  std::map<std::vector<std::uint32_t>, std::uint32_t> groups_;
};

}  // namespace convoy::simulate
