#pragma once

#include <span>
#include <vector>

#include "core/simulate/flows/fair_shares.hpp"

namespace convoy::testing {

struct NaiveFlow {
  std::vector<simulate::LinkShare> links;
  double limit = 0;
};

// Max-min fair rates of all flows as the textbook has them, computed from nothing: all grow at the
// same pace; what reaches its limit or a full link stops, until none grows.
std::vector<double> naive_rates(std::span<const simulate::LinkCapacity> links,
                                std::span<const NaiveFlow> flows);

}  // namespace convoy::testing
