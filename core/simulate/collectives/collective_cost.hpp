#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "core/plan/operation.hpp"
#include "core/simulate/collectives/collective_model.hpp"
#include "core/simulate/collectives/single_ring.hpp"
#include "core/simulate/simulate.hpp"

namespace convoy::simulate {

// Computes what collectives cost the simulated software: with its library, or in a single ring if
// it has none.
class CollectiveCost {
 public:
  CollectiveCost(const SimulatedMachine& machine, const SimulationOptions& options,
                 RouteTable& routes)
      : machine_(machine), options_(options), routes_(routes), ring_(machine, options, routes) {}

  // `places` are the participants in the operation's order, `bytes` is the size of the whole span.
  CostedTask task(const plan::Operation& operation, const std::vector<std::uint32_t>& places,
                  double bytes);
  // The choices made for the tasks, in the order of TaskCost::way.
  std::vector<CollectiveChoice> take_choices() { return std::move(choices_); }

 private:
  std::uint32_t note(const CollectiveChoice& choice);

  const SimulatedMachine& machine_;
  const SimulationOptions& options_;
  RouteTable& routes_;
  SingleRing ring_;
  std::map<std::vector<std::uint32_t>, CollectiveModel> models_;
  std::vector<CollectiveChoice> choices_;
};

}  // namespace convoy::simulate
