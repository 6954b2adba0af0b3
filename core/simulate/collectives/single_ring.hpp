#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "core/plan/operation.hpp"
#include "core/simulate/simulate.hpp"
#include "core/simulate/tasks/route_table.hpp"

namespace convoy::simulate {

// Collectives of software that knows only one ring, over all devices, host after host. The ring is
// pipelined, so one transfer over all of its links stands for a collective. The fixed cost is the
// latency of its steps, or of the steps of a tree over the hosts if the tree has fewer.
class SingleRing {
 public:
  SingleRing(const SimulatedMachine& machine, const SimulationOptions& options, RouteTable& routes)
      : machine_(machine), options_(options), routes_(routes) {}

  // `places` are the participants in the operation's order, `bytes` is the size of the whole span.
  CostedTask task(plan::OperationKind kind, const std::vector<std::uint32_t>& places, double bytes);

 private:
  // The ring of one set of participants, which several collectives use.
  struct Ring {
    std::vector<std::uint32_t> places;
    double seconds = 0;
    std::uint32_t group = kNone;
    // by the bytes that pass a link for each byte of the span
    std::map<double, std::uint32_t> routes;
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
