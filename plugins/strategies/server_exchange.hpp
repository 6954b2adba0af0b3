#pragma once

#include <convoy/planner.hpp>

namespace convoy_strategies {

// How replicas exchange variables and gradients with where the variables are kept.
class ServerExchange {
 public:
  virtual ~ServerExchange() = default;
  // Every replica's parameters of this set become the variables.
  virtual void fetch(convoy::SetId set) = 0;
  // The variables are updated with all replicas' gradients of this set.
  virtual void update(convoy::SetId set) = 0;
};

}  // namespace convoy_strategies
