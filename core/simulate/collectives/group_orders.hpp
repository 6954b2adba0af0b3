#pragma once

#include <cstdint>
#include <vector>

#include "core/simulate/collectives/collective_group.hpp"

namespace convoy::simulate {

using Order = std::vector<std::uint32_t>;

// The orders in which channels pass the devices of each host. On one host, they are closed; with
// several hosts, they lead from one network card to another.
struct GroupOrders {
  std::vector<std::vector<Order>> orders;  // per host and channel; equally many for every host
  std::vector<bool> crosses;               // per host: see find_crossing_chains
  std::uint32_t bricks = 1;                // channels per order that was found; or cards
};

GroupOrders find_group_orders(const CollectiveGroup& group);

}  // namespace convoy::simulate
