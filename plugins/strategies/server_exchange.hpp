#pragma once

#include <cstdint>

namespace convoy_strategies {

// How replicas exchange variables and gradients with where the variables are kept.
class ServerExchange {
 public:
  virtual ~ServerExchange() = default;
  // Every replica's parameters of this set become the variables.
  virtual void fetch(std::uint32_t set) = 0;
  // The variables are updated with all replicas' gradients of this set.
  virtual void update(std::uint32_t set) = 0;
};

}  // namespace convoy_strategies
