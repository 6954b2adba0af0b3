#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "core/plan/operation.hpp"
#include "core/simulate/simulate.hpp"
#include "core/simulate/tasks/route_table.hpp"

namespace convoy::simulate {

// How software reduces that knows one ring: over all devices, host after host, pipelined, so that a
// transfer of the whole over every link of the ring stands for it. The fixed cost is that of its
// steps: the ring's, or of a tree over the hosts where that has fewer.
class SingleRing {
 public:
  SingleRing(const SimulatedMachine& machine, const SimulationOptions& options, RouteTable& routes)
      : machine_(machine), options_(options), routes_(routes) {}

  // Places of the participants, in the operation's order. bytes: of the whole span.
  CostedTask task(OperationKind kind, const std::vector<std::uint32_t>& places, double bytes);

 private:
  // A set of participants that collectives come back to.
  struct Ring {
    std::vector<std::uint32_t> places;
    double seconds = 0;
    std::uint32_t group = kNone;
    std::map<double, std::uint32_t> routes;  // by bytes over a link per byte
  };
  Ring& ring(const std::vector<std::uint32_t>& places);
  std::vector<std::uint32_t> order(const std::vector<std::uint32_t>& places);
  double step_seconds(const Ring& ring);
  double hop_seconds(std::uint32_t from, std::uint32_t to);

  const SimulatedMachine& machine_;
  const SimulationOptions& options_;
  RouteTable& routes_;
  std::map<std::vector<std::uint32_t>, Ring> rings_;
};

}  // namespace convoy::simulate
