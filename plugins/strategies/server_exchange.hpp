#pragma once

#include <convoy/planner.hpp>

namespace convoy_strategies {

// Exchanges variables and gradients between replicas and the places that keep the variables.
class ServerExchange {
 public:
  virtual ~ServerExchange() = default;
  // Sets every replica's parameters of this set to the variables.
  virtual void fetch(convoy::SetId set) = 0;
  // Updates the variables with all replicas' gradients of this set.
  virtual void update(convoy::SetId set) = 0;
};

}  // namespace convoy_strategies
